package dev.oneroof.app.cli;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;

/** Names the option where a message names the field that it sets: that is what somebody wrote here. */
final class FieldOptions {
    /** Where the two are not called alike. */
    private static final Map<String, String> OPTIONS = Map.of(
            "relation", "--table",
            "id_column", "--id",
            "id_type", "--id",
            "ts_column", "--ts",
            "ts_type", "--ts",
            "time_zone", "--zone",
            "poll_interval", "--poll",
            "reread_window", "--reread");

    /** As all messages of ours begin that are about a value. */
    private static final Pattern FIELD = Pattern.compile("([a-z][a-z_]*)(: .*)");

    private FieldOptions() {}

    /** The message with the option of this command in its front; as it is where it has none, or nobody wrote it. */
    static String named(String message, CommandLine command) {
        Matcher begin = FIELD.matcher(message);
        if (!begin.matches()) {
            return message;
        }
        String field = begin.group(1);
        String option = OPTIONS.getOrDefault(field, "--" + field.replace('_', '-'));
        boolean isMeant = OPTIONS.containsKey(field)
                ? command.getCommandSpec().findOption(option) != null
                : command.getParseResult().hasMatchedOption(option);
        return isMeant ? option + begin.group(2) : message;
    }
}
