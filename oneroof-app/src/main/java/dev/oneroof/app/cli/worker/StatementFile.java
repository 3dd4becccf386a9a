package dev.oneroof.app.cli.worker;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.postgres.error.Problem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** What a worker reads and does: the options that add and alter share. */
final class StatementFile {
    private static final long LONGEST = 1_000_000;

    @Option(
            names = "--reading",
            paramLabel = "COLUMN",
            split = ",",
            description = "The columns that the statement reads of page, separated by commas.")
    private List<String> columns = List.of();

    @Option(
            names = "--sql",
            required = true,
            paramLabel = "FILE",
            description = "A file with one INSERT, UPDATE or DELETE that reads the relation page; - is standard input.")
    @SuppressWarnings("NullAway.Init")
    private Path file;

    List<String> columns() {
        return columns.stream().map(String::strip).toList();
    }

    String text() {
        try {
            if (file.toString().equals("-")) {
                return new String(System.in.readNBytes((int) LONGEST), StandardCharsets.UTF_8);
            }
            if (Files.size(file) > LONGEST) {
                throw new OneRoofException(Problem.notAllowed("sql", file.toString(), "a file of up to 1 MB"));
            }
            return Files.readString(file);
        } catch (IOException e) {
            throw new OneRoofException(
                    new Problem(ErrorCode.INVALID_INPUT, "sql", file.toString(), null, "cannot be read", null), e);
        }
    }
}
