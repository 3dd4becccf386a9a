package dev.oneroof.app.cli;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * Asks before an act that changes much.
 *
 * @param terminal whether somebody is there to ask
 */
record Confirmation(boolean terminal, InputStream answers, Console console) {
    /** The terminal is the launcher's to know, which can ask the shell; Java can only guess. */
    static Confirmation atTheTerminal(Console console) {
        return new Confirmation(Boolean.getBoolean("oneroof.terminal"), System.in, console);
    }

    /** Returns when the person at the terminal says yes, and throws when they do not or nobody is there. */
    void demand(String question) {
        if (!terminal) {
            throw new OneRoofException(ErrorCode.INVALID_INPUT, "nobody is there to ask; --yes says that it is meant");
        }
        console.messages().print("oneroof: " + question + " [y/N] ");
        console.messages().flush();
        String answer = line();
        if (!answer.equalsIgnoreCase("y") && !answer.equalsIgnoreCase("yes")) {
            throw new OneRoofException(ErrorCode.FAILED, "nothing was changed");
        }
    }

    private String line() {
        try {
            String line = new BufferedReader(new InputStreamReader(answers, StandardCharsets.UTF_8)).readLine();
            return line == null ? "" : line.strip();
        } catch (IOException e) {
            return "";
        }
    }
}
