package dev.oneroof.core.sqlworker;

import dev.oneroof.core.expression.ExpressionText;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the text of a statement as far as is needed to know that it is a single one that stays within the parentheses it is
 * put in. What it means is for the server to say.
 */
final class StatementText {
    static final int LONGEST = 65_536;
    static final Set<String> ALLOWED = Set.of("INSERT", "UPDATE", "DELETE");

    private static final Pattern WORD = Pattern.compile("\\s*(\\w+)");
    // No other form of quoting: what the server reads as quoted must be what is read here as quoted.
    private static final Pattern OTHER_QUOTING = Pattern.compile("\\\\|U&[\"']", Pattern.CASE_INSENSITIVE);
    private static final Pattern CALL =
            Pattern.compile("(?:\\b([a-z_]\\w*)|\"([^\"]+)\")\\s*\\(", Pattern.CASE_INSENSITIVE);
    private static final Pattern TARGET = Pattern.compile(
            "\\s*(?:INSERT\\s+INTO|UPDATE(?:\\s+ONLY)?|DELETE\\s+FROM(?:\\s+ONLY)?)\\s+((?:\"[^\"]+\"|\\w+)(?:\\s*\\.\\s*(?:\"[^\"]+\"|\\w+))?)",
            Pattern.CASE_INSENSITIVE);

    private StatementText() {}

    /** Without comments, and without a semicolon at its end. Quoted text stays as it is. */
    static String stripped(String text) {
        StringBuilder plain = new StringBuilder();
        for (int at = 0; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '\'' || c == '"') {
                int end = endOfQuoted(text, at);
                plain.append(text, at, end);
                at = end - 1;
            } else if (text.startsWith("--", at)) {
                int end = text.indexOf('\n', at);
                at = end < 0 ? text.length() : end;
                plain.append('\n');
            } else if (text.startsWith("/*", at)) {
                int end = text.indexOf("*/", at + 2);
                at = end < 0 ? text.length() : end + 1;
                plain.append(' ');
            } else {
                plain.append(c);
            }
        }
        return plain.toString().strip().replaceFirst(";\\s*$", "");
    }

    private static int endOfQuoted(String text, int begin) {
        int end = text.indexOf(text.charAt(begin), begin + 1);
        return end < 0 ? text.length() : end + 1;
    }

    /** Why this cannot be the statement of a worker, or null. */
    static @Nullable String flaw(String statement) {
        String flaw = ExpressionText.flaw(statement, "statement", LONGEST);
        if (flaw != null) {
            return flaw;
        }
        if (OTHER_QUOTING.matcher(statement).find()) {
            return "it has a backslash or a quote with U&; write such characters with chr()";
        }
        String bare = withoutQuoted(statement);
        Matcher first = WORD.matcher(bare);
        String verb = first.lookingAt() ? first.group(1).toUpperCase(Locale.ROOT) : "";
        if (!ALLOWED.contains(verb)) {
            return "it begins with '%s'; allowed are INSERT, UPDATE and DELETE"
                    .formatted(verb.isEmpty() ? bare.strip().substring(0, 1) : verb);
        }
        if (Pattern.compile("\\bRETURNING\\b", Pattern.CASE_INSENSITIVE)
                .matcher(bare)
                .find()) {
            return "it returns rows; allowed is a statement without RETURNING";
        }
        if (!Pattern.compile("\\bpage\\b", Pattern.CASE_INSENSITIVE)
                .matcher(bare)
                .find()) {
            return "it does not read the relation page, which holds the rows of the batch";
        }
        return null;
    }

    /** The names that stand before a parenthesis: functions, and some that are none. */
    static Set<String> calls(String statement) {
        Set<String> names = new LinkedHashSet<>();
        Matcher call = CALL.matcher(withoutQuoted(statement));
        while (call.find()) {
            // A quoted name is as it is written; any other is folded.
            names.add(call.group(2) == null ? call.group(1).toLowerCase(Locale.ROOT) : call.group(2));
        }
        return names;
    }

    /** The table that it writes, as it is written; null where it cannot be read off. */
    static @Nullable String target(String statement) {
        Matcher target = TARGET.matcher(statement);
        return target.lookingAt() ? target.group(1) : null;
    }

    private static String withoutQuoted(String text) {
        return text.replaceAll("'[^']*'", "''");
    }
}
