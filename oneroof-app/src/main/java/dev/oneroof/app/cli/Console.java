package dev.oneroof.app.cli;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/** Data goes to stdout, messages go to stderr. */
public final class Console {
    private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    private static final PrintStream ERR = new PrintStream(System.err, true, StandardCharsets.UTF_8);

    private Console() {}

    public static void say(String message) {
        ERR.println("oneroof: " + message);
    }

    static void print(String data) {
        OUT.println(data);
        demandWritten();
    }

    /** One JSON object with the names of a record's parts in snake_case. */
    static void printJson(Object data) {
        OUT.println(JsonMapper.builder()
                .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                .build()
                .writeValueAsString(data));
        demandWritten();
    }

    /** Data that did not arrive is a failure, even though a stream says nothing of it by itself. */
    private static void demandWritten() {
        if (OUT.checkError()) {
            throw new OneRoofException(ErrorCode.FAILED, "stdout: what was asked for could not be written");
        }
    }

    static PrintStream messages() {
        return ERR;
    }
}
