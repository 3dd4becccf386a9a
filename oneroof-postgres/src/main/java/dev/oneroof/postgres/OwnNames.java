package dev.oneroof.postgres;

import java.util.regex.Pattern;

/**
 * Turns the names {@code oneroof.something} of a statement of OneRoof to the schema that OneRoof lives in. Every name is
 * turned, whatever follows the dot, so there is no list that could miss a table.
 *
 * <p>A name is an identifier without quotes, or a literal that is cast on the spot: {@code 'oneroof.some_seq'::regclass}.
 * Other literals, quoted identifiers, dollar-quoted texts and comments stay as they are. So even where the text of a user
 * reaches such a statement by mistake, no value of it changes: at most a relation of the user's is looked for in OneRoof's
 * schema, and the server answers that it does not exist.
 */
final class OwnNames {
    private static final String WRITTEN = SchemaName.DEFAULT.value();
    private static final Pattern NAME_LITERAL = Pattern.compile("'" + WRITTEN + "\\.\\w+'");
    private static final String CAST_TO_NAME = "::regclass";

    private final String sql;
    private final String quotedSchema;
    private final StringBuilder turned;
    /** Up to here the statement has been copied. */
    private int copied;
    /** Here the next token begins. */
    private int at;

    private OwnNames(String sql, String quotedSchema) {
        this.sql = sql;
        this.quotedSchema = quotedSchema;
        this.turned = new StringBuilder(sql.length() + 64);
    }

    static String turn(String sql, SchemaName schema) {
        return new OwnNames(sql, schema.quoted()).turn();
    }

    private String turn() {
        while (at < sql.length()) {
            char c = sql.charAt(at);
            if (isWord(c)) {
                word();
            } else if (c == '\'') {
                literal();
            } else if (c == '"') {
                at = closing(at + 1, '"', false);
            } else if (c == '$') {
                at = afterDollarQuoted();
            } else if (sql.startsWith("--", at)) {
                at = after("\n", at);
            } else if (sql.startsWith("/*", at)) {
                at = afterComment();
            } else {
                at++;
            }
        }
        return turned.append(sql, copied, at).toString();
    }

    private void word() {
        int begin = at;
        while (at < sql.length() && (isWord(sql.charAt(at)) || sql.charAt(at) == '$')) {
            at++;
        }
        int length = at - begin;
        boolean isFirstOfName = begin == 0 || sql.charAt(begin - 1) != '.';
        if (isFirstOfName && length == WRITTEN.length() && sql.startsWith(WRITTEN, begin) && sql.startsWith(".", at)) {
            replaceWritten(begin);
        } else if (length == 1 && (sql.charAt(begin) | 0x20) == 'e' && sql.startsWith("'", at)) {
            at = closing(at + 1, '\'', true);
        }
    }

    private void literal() {
        int begin = at;
        at = closing(at + 1, '\'', false);
        if (sql.startsWith(CAST_TO_NAME, at)
                && NAME_LITERAL.matcher(sql).region(begin, at).matches()) {
            replaceWritten(begin + 1);
        }
    }

    private void replaceWritten(int begin) {
        turned.append(sql, copied, begin).append(quotedSchema);
        copied = begin + WRITTEN.length();
    }

    /** Behind the closing quote; a doubled one is a part of the text. */
    private int closing(int from, char quote, boolean escapes) {
        for (int i = from; i < sql.length(); i++) {
            char c = sql.charAt(i);
            if ((c == '\\' && escapes) || (c == quote && sql.startsWith(String.valueOf(quote), i + 1))) {
                i++;
            } else if (c == quote) {
                return i + 1;
            }
        }
        return sql.length();
    }

    private int afterDollarQuoted() {
        int end = at + 1;
        while (end < sql.length() && isWord(sql.charAt(end))) {
            end++;
        }
        boolean isQuote = sql.startsWith("$", end) && (end == at + 1 || !Character.isDigit(sql.charAt(at + 1)));
        return isQuote ? after(sql.substring(at, end + 1), end + 1) : end;
    }

    /** Comments of this kind are nested. */
    private int afterComment() {
        int depth = 0;
        for (int i = at; i < sql.length(); i++) {
            if (sql.startsWith("/*", i)) {
                depth++;
                i++;
            } else if (sql.startsWith("*/", i)) {
                i++;
                if (--depth == 0) {
                    return i + 1;
                }
            }
        }
        return sql.length();
    }

    private int after(String end, int from) {
        int found = sql.indexOf(end, from);
        return found < 0 ? sql.length() : found + end.length();
    }

    private static boolean isWord(char c) {
        return c == '_' || Character.isLetterOrDigit(c) || c >= 0x80;
    }
}
