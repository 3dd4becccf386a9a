package dev.oneroof.app.cli;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;

/** Replaces the field at the start of a message by the option that sets it. */
final class OptionNames {
    /** Fields whose option has another name. */
    private static final Map<String, String> OPTIONS = Map.of(
            "relation", "--table",
            "id_column", "--id",
            "id_type", "--id",
            "ts_column", "--ts",
            "ts_type", "--ts",
            "time_zone", "--zone",
            "poll_interval", "--poll",
            "reread_window", "--reread");

    /** Messages about a value start with the field. */
    private static final Pattern FIELD = Pattern.compile("([a-z][a-z_]*)(: .*)");

    private OptionNames() {}

    /** The message with the option of this command; unchanged where the command has no such option or it was not given. */
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
