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
public final class Console {
    /** The file type bits of a mode. */
    private static final int KIND = 0xF000;

    private static final int PIPE = 0x1000;
    private static final int SOCKET = 0xC000;

    private static final Pattern CONTROLS = Pattern.compile("[\\p{Cntrl}&&[^\n\t]]");

    private final OutputStream out;
    private final PrintStream err;
    private volatile boolean readerClosed;

    public Console(OutputStream out, OutputStream err) {
        this.out = out;
        this.err = new PrintStream(err, true, StandardCharsets.UTF_8);
    }

    public static Console ofProcess() {
        // Not System.out: a PrintStream keeps to itself why it could not write.
        return new Console(new FileOutputStream(FileDescriptor.out), System.err);
    }

    /** The text as part of one line, without line breaks. */
    public static String inLine(String text) {
        return text.replace('\n', ' ').replace('\t', ' ');
    }

    public void say(String message) {
        err.println("oneroof: " + plain(message));
    }

    /** Removes control characters: parts of the text come from user data and must not control the terminal. */
    private static String plain(String text) {
        return CONTROLS.matcher(text).replaceAll(" ");
    }

    /** Fails when the data cannot be written. Where the reader has closed the pipe, the command continues without output. */
    public void print(String data) {
        if (readerClosed) {
            return;
        }
        try {
            out.write((plain(data) + System.lineSeparator()).getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            if (!isPipe()) {
                throw new OneRoofException(ErrorCode.FAILED, "stdout: cannot write the output: " + e.getMessage(), e);
            }
            readerClosed = true;
        }
    }

    /** One JSON object with the names of a record's parts in snake_case. */
    public void printJson(Object data) {
        print(JsonMapper.builder()
                .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                .build()
                .writeValueAsString(data));
    }

    /** A write fails when the reader has closed the pipe or socket. Its message depends on the locale; the file type does not. */
    private static boolean isPipe() {
        try {
            int kind = (int) Files.getAttribute(Path.of("/dev/fd/1"), "unix:mode") & KIND;
            return kind == PIPE || kind == SOCKET;
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    public PrintStream messages() {
        return err;
    }

    /** For help texts. */
    public PrintWriter pages() {
        return new PrintWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), true);
    }
}
