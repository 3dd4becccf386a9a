package dev.oneroof.app.config;

/** The text of a configuration file that says nothing yet: each setting with its meaning and default, commented out. */
public final class ConfigTemplate {
    private ConfigTemplate() {}

    public static String yaml() {
        StringBuilder file =
                new StringBuilder("# Settings of OneRoof. Flags and environment variables come before them.\n");
        String section = "";
        for (Setting setting : Settings.ALL) {
            int dot = setting.key().indexOf('.');
            String parent = dot < 0 ? "" : setting.key().substring(0, dot);
            if (!parent.isEmpty() && !parent.equals(section)) {
                file.append("\n#").append(parent).append(":\n");
            } else if (parent.isEmpty()) {
                file.append('\n');
            }
            section = parent;
            String indent = dot < 0 ? "" : "  ";
            String fallback = setting.fallback();
            file.append("# %s%s\n# %sAllowed: %s. Environment: %s.\n"
                    .formatted(indent, setting.meaning(), indent, setting.allowed(), setting.environmentName()));
            file.append("#%s%s: %s\n"
                    .formatted(
                            indent,
                            setting.key().substring(dot + 1),
                            fallback == null ? "" : fallback.isEmpty() ? "\"\"" : fallback));
        }
        return file.toString();
    }
}
