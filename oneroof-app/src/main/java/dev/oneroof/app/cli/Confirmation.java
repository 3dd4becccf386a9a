package dev.oneroof.app.cli;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.Charset;

/** Asks before an act that changes much. */
final class Confirmation {
    private Confirmation() {}

    /** Returns when the person at the terminal says yes, and throws when they do not or nobody is there. */
    static void demand(String question) {
        // Set by the launcher, which can ask the shell; Java can only guess.
        if (!Boolean.getBoolean("oneroof.terminal")) {
            throw new OneRoofException(ErrorCode.INVALID_INPUT, "nobody is there to ask; --yes says that it is meant");
        }
        Console.messages().print("oneroof: " + question + " [y/N] ");
        Console.messages().flush();
        String answer = line();
        if (!answer.equalsIgnoreCase("y") && !answer.equalsIgnoreCase("yes")) {
            throw new OneRoofException(ErrorCode.INVALID_INPUT, "nothing was changed");
        }
    }

    private static String line() {
        try {
            String line = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset())).readLine();
            return line == null ? "" : line.strip();
        } catch (IOException e) {
            return "";
        }
    }
}
