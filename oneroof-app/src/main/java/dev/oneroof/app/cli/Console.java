package dev.oneroof.app.cli;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/** Data goes to stdout, messages go to stderr. */
final class Console {
    /** The kinds of files, as they stand in a mode. */
    private static final int KIND = 0xF000;

    private static final int PIPE = 0x1000;
    private static final int SOCKET = 0xC000;

    private static final Pattern CONTROLS = Pattern.compile("[\\p{Cntrl}&&[^\n\t]]");

    private final OutputStream out;
    private final PrintStream err;
    private volatile boolean readerHasLeft;

    Console(OutputStream out, OutputStream err) {
        this.out = out;
        this.err = new PrintStream(err, true, StandardCharsets.UTF_8);
    }

    static Console ofTheProcess() {
        // Not System.out: a PrintStream keeps to itself why it could not write.
        return new Console(new FileOutputStream(FileDescriptor.out), System.err);
    }

    /** What somebody wrote, as a part of a line: it begins none of its own. */
    static String inLine(String text) {
        return text.replace('\n', ' ').replace('\t', ' ');
    }

    void say(String message) {
        err.println("oneroof: " + plain(message));
    }

    /** Without a terminal's commands: parts of it may have been written by anybody. */
    private static String plain(String text) {
        return CONTROLS.matcher(text).replaceAll(" ");
    }

    /** Data that did not arrive is a failure, unless whoever read it has had enough: then the command goes on without. */
    void print(String data) {
        if (readerHasLeft) {
            return;
        }
        try {
            out.write((plain(data) + System.lineSeparator()).getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            if (!isPipe()) {
                throw new OneRoofException(
                        ErrorCode.FAILED, "stdout: what was asked for could not be written: " + e.getMessage(), e);
            }
            readerHasLeft = true;
        }
    }

    /** One JSON object with the names of a record's parts in snake_case. */
    void printJson(Object data) {
        print(JsonMapper.builder()
                .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                .build()
                .writeValueAsString(data));
    }

    /** What goes into a pipe or a socket is refused when nobody reads any more; the message of it is in any language. */
    private static boolean isPipe() {
        try {
            int kind = (int) Files.getAttribute(Path.of("/dev/fd/1"), "unix:mode") & KIND;
            return kind == PIPE || kind == SOCKET;
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    PrintStream messages() {
        return err;
    }

    /** For the texts of help. */
    PrintWriter pages() {
        return new PrintWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), true);
    }
}
