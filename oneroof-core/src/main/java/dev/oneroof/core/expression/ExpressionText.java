package dev.oneroof.core.expression;

import org.jspecify.annotations.Nullable;

/**
 * Checks whether an expression stays within the parentheses that are put around it. The server cannot detect this: {@code a) OR
 * (b} is well-formed there, and reads rows twice. What the server, the driver and the mapping layer read differently is
 * refused.
 */
public final class ExpressionText {
    private final String text;
    private final String what;
    private int at;

    private ExpressionText(String text, String what) {
        this.text = text;
        this.what = what;
    }

    /** Why this cannot be an expression, or null. */
    static @Nullable String flaw(String expression) {
        return flaw(expression, "expression", Expression.LONGEST);
    }

    /**
     * Why a text cannot stand in parentheses within a statement of ours; null where it can.
     *
     * @param what the text is: an expression, a statement
     * @param longest the characters that are allowed
     */
    public static @Nullable String flaw(String expression, String what, int longest) {
        if (expression.isBlank()) {
            return "it is empty";
        }
        if (expression.length() > longest) {
            return "it has %d characters; allowed are up to %d".formatted(expression.length(), longest);
        }
        if (expression.chars().anyMatch(c -> c < ' ' && c != '\n' && c != '\r' && c != '\t')) {
            return "control characters do not belong in it";
        }
        return new ExpressionText(expression, what).scan();
    }

    private @Nullable String scan() {
        int depth = 0;
        for (at = 0; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '\'' || c == '"') {
                String flaw = skipQuoted(c);
                if (flaw != null) {
                    return flaw;
                }
            } else if (c == '(') {
                depth++;
            } else if (c == ')' && --depth < 0) {
                return "it closes a parenthesis that it has not opened";
            } else {
                String flaw = unquoted(c);
                if (flaw != null) {
                    return flaw;
                }
            }
        }
        return depth > 0 ? "a parenthesis is not closed" : null;
    }

    private @Nullable String unquoted(char c) {
        if (c == ';') {
            return "it is one %s, without ';'".formatted(what);
        }
        if (text.startsWith("--", at) || text.startsWith("/*", at)) {
            return "comments do not belong in it";
        }
        if (c == '$') {
            return "'$' does not belong in it outside quotes";
        }
        if (c == '?') {
            return "'?' is taken for parameters; write the operator as a function, such as jsonb_exists";
        }
        if (text.startsWith("::", at)) {
            at++;
            return null;
        }
        return c == ':' ? "a colon is taken for a parameter; write casts as ::type or CAST" : null;
    }

    /**
     * To the closing quote. A doubled one closes and opens again; in E'…' a backslash takes the next with it. Whether a
     * backslash before the last quote keeps it open depends on a setting, which server and driver may read differently.
     */
    private @Nullable String skipQuoted(char quote) {
        boolean escapes = quote == '\'' && at > 0 && (text.charAt(at - 1) | 0x20) == 'e' && !isWordBefore(at - 1);
        for (at++; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '\\' && escapes) {
                at++;
            } else if (c == quote) {
                if (quote == '\'' && text.charAt(at - 1) == '\\') {
                    return "a backslash stands before a closing quote; write chr(92)";
                }
                if (at + 1 < text.length() && text.charAt(at + 1) == quote) {
                    at++;
                } else {
                    return null;
                }
            }
        }
        return "a quote is not closed";
    }

    private boolean isWordBefore(int position) {
        return position > 0
                && (Character.isLetterOrDigit(text.charAt(position - 1)) || text.charAt(position - 1) == '_');
    }
}
