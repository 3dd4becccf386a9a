package dev.oneroof.core.signal;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;

/**
 * Whether a text is JSON that the database can read, before it is asked: its answers name no field, and of very deep ones it
 * says that its stack is full. A message names the place of what is refused and not the value, which may be contents.
 */
final class JsonCheck {
    private static final int DEEPEST = 100;

    private final String json;
    private int at;

    JsonCheck(String json) {
        this.json = json;
    }

    void demand() {
        int nul = json.indexOf('\0');
        if (nul >= 0) {
            throw holdsNul(nul);
        }
        value(0);
        if (at < json.length()) {
            throw noJson(at);
        }
    }

    /** With the blanks around it. */
    private void value(int depth) {
        blanks();
        switch (peek()) {
            case '{' -> members('}', depth + 1);
            case '[' -> members(']', depth + 1);
            case '"' -> text();
            case 't' -> word("true");
            case 'f' -> word("false");
            case 'n' -> word("null");
            default -> number();
        }
        blanks();
    }

    private void members(char end, int depth) {
        if (depth > DEEPEST) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "payload: it is more than %d levels deep; allowed are at most %d".formatted(DEEPEST, DEEPEST));
        }
        at++;
        blanks();
        if (peek() == end) {
            at++;
            return;
        }
        member(end, depth);
        while (peek() == ',') {
            at++;
            member(end, depth);
        }
        take(end);
    }

    private void member(char end, int depth) {
        if (end == '}') {
            blanks();
            text();
            blanks();
            take(':');
        }
        value(depth);
    }

    private void text() {
        take('"');
        while (peek() != '"') {
            if (peek() < ' ') {
                throw noJson(at);
            }
            if (peek() == '\\') {
                escape();
            }
            at++;
        }
        at++;
    }

    /** Ends at its last character. */
    private void escape() {
        int from = at++;
        if (peek() != 'u') {
            if ("\"\\/bfnrt".indexOf(peek()) < 0) {
                throw noJson(from);
            }
            return;
        }
        boolean isNul = true;
        for (int digit = 0; digit < 4; digit++) {
            at++;
            if (Character.digit(peek(), 16) < 0 || peek() > 'f') {
                throw noJson(from);
            }
            isNul = isNul && peek() == '0';
        }
        if (isNul) {
            throw holdsNul(from);
        }
    }

    private void word(String word) {
        if (!json.startsWith(word, at)) {
            throw noJson(at);
        }
        at += word.length();
    }

    private void number() {
        if (peek() == '-') {
            at++;
        }
        if (peek() == '0') {
            at++;
        } else {
            digits();
        }
        if (peek() == '.') {
            at++;
            digits();
        }
        if (peek() == 'e' || peek() == 'E') {
            at++;
            if (peek() == '+' || peek() == '-') {
                at++;
            }
            digits();
        }
    }

    private void digits() {
        if (!isDigit()) {
            throw noJson(at);
        }
        while (isDigit()) {
            at++;
        }
    }

    private boolean isDigit() {
        return peek() >= '0' && peek() <= '9';
    }

    private void blanks() {
        while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') {
            at++;
        }
    }

    private void take(char expected) {
        if (peek() != expected) {
            throw noJson(at);
        }
        at++;
    }

    /** NUL at the end: there is none before. */
    private char peek() {
        return at < json.length() ? json.charAt(at) : '\0';
    }

    private static OneRoofException noJson(int at) {
        return new OneRoofException(
                ErrorCode.INVALID_INPUT,
                "payload: it is no JSON from character %d on; allowed is a JSON object".formatted(at + 1));
    }

    private static OneRoofException holdsNul(int at) {
        return new OneRoofException(
                ErrorCode.INVALID_INPUT,
                "payload: it holds a NUL at character %d; allowed are texts without".formatted(at + 1));
    }
}
