package dev.oneroof.app.cli;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * Asks for confirmation before an act that changes much.
 *
 * @param terminal whether the command runs on a terminal
 */
public record Confirmation(boolean terminal, InputStream answers, Console console) {
    /** The launcher sets the property: it can ask the shell about the terminal, Java cannot. */
    public static Confirmation atTheTerminal(Console console) {
        return new Confirmation(Boolean.getBoolean("oneroof.terminal"), System.in, console);
    }

    /** Returns when the answer is yes; throws when it is not, or when there is no terminal. */
    public void demand(String question) {
        if (!terminal) {
            throw new OneRoofException(ErrorCode.INVALID_INPUT, "there is no terminal to confirm on; use --yes");
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
