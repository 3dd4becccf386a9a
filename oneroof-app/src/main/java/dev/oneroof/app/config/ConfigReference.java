package dev.oneroof.app.config;

import java.util.stream.Collectors;

/** Writes the reference page of the settings, so that it cannot differ from them. */
final class ConfigReference {
    private ConfigReference() {}

    static String markdown() {
        String rows = Settings.ALL.stream().map(ConfigReference::row).collect(Collectors.joining("\n"));
        return """
                # Configuration

                <!-- Made from the code; a test compares it. -->

                A setting is taken from the first place that has it: a flag, the environment, the file, the default.
                The file is `oneroof.yaml` in the current folder, or the one named by `--config` or `ONEROOF_CONFIG`;
                a dot in a key is a level in the file. Secrets can also be read from a file named by the variable with
                `_FILE` behind it. Unknown keys are refused.

                Where no `db.url` is set, `DATABASE_URL` and libpq's `PGHOST`, `PGPORT`, `PGDATABASE`, `PGUSER`,
                `PGPASSWORD` and `PGSSLMODE` are looked at, and `.pgpass` for the password. `oneroof demo` leaves those
                aside: it writes to a database of yours only when told to by a flag, `ONEROOF_DB_URL` or the file.

                | key | environment | default | allowed | meaning |
                |---|---|---|---|---|
                %s

                Read by the launcher and by the log, and by variable only:

                | environment | default | meaning |
                |---|---|---|
                | `ONEROOF_JAVA_HOME` | none | The Java to use, 21 or newer; without it `JAVA_HOME`, the PATH, then the newest in the usual folders. |
                | `ONEROOF_JDK_DIRS` | the usual folders | Where to look for a Java: folders that hold JDKs, with `:` between them. |
                | `ONEROOF_JAVA_OPTS` | none | Options for that Java, such as `-Xmx1g`, with blanks between them. |
                | `ONEROOF_BUILD` | none | `never` runs what is built, whether the sources have changed or not. |
                | `ONEROOF_LOG_LEVEL` | `WARN` | From which level on the log is written, on stderr: `ERROR`, `WARN`, `INFO`, `DEBUG`. |
                """.formatted(rows);
    }

    private static String row(Setting setting) {
        String fallback = setting.fallback() == null ? "none" : "`" + setting.fallback() + "`";
        return "| `%s` | `%s` | %s | %s | %s |"
                .formatted(
                        setting.key(),
                        setting.environmentName(),
                        fallback.equals("``") ? "empty" : fallback,
                        setting.allowed(),
                        setting.meaning());
    }
}
