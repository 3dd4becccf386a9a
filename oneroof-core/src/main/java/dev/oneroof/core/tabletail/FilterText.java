package dev.oneroof.core.tabletail;

import org.jspecify.annotations.Nullable;

/**
 * Looks whether a filter stays within the parentheses that a page puts around it. The server cannot tell: {@code a) OR
 * (b} is well-formed there, and reads rows twice.
 */
final class FilterText {
    private final String text;
    private int at;

    private FilterText(String text) {
        this.text = text;
    }

    /** Why this cannot be a filter, or null. */
    static @Nullable String flaw(String filter) {
        return filter.isBlank() ? "it is empty" : new FilterText(filter).scan();
    }

    private @Nullable String scan() {
        int depth = 0;
        for (at = 0; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '\'' || c == '"') {
                if (!skipQuoted(c)) {
                    return "a quote is not closed";
                }
            } else if (c == '(') {
                depth++;
            } else if (c == ')' && --depth < 0) {
                return "it closes a parenthesis that it has not opened";
            } else if (c == ';') {
                return "it is one condition, without ';'";
            } else if (text.startsWith("--", at) || text.startsWith("/*", at)) {
                return "comments do not belong in it";
            } else if (c == '$') {
                return "'$' does not belong in it outside quotes";
            } else if (c == '?') {
                return "'?' is taken for parameters; write the operator as a function, such as jsonb_exists";
            }
        }
        return depth > 0 ? "a parenthesis is not closed" : null;
    }

    /** To the closing quote. A doubled one closes and opens again; in E'…' a backslash takes the next with it. */
    private boolean skipQuoted(char quote) {
        boolean escapes = quote == '\'' && at > 0 && (text.charAt(at - 1) | 0x20) == 'e' && !isWordBefore(at - 1);
        for (at++; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '\\' && escapes) {
                at++;
            } else if (c == quote) {
                if (at + 1 < text.length() && text.charAt(at + 1) == quote) {
                    at++;
                } else {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean isWordBefore(int position) {
        return position > 0
                && (Character.isLetterOrDigit(text.charAt(position - 1)) || text.charAt(position - 1) == '_');
    }
}
