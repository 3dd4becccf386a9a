package dev.oneroof.app.cli;

import dev.oneroof.app.config.ConfigTemplate;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.postgres.error.Problem;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "init",
        description = "Write a configuration file that lists every setting with its default, commented out.")
final class InitCommand implements Callable<Integer> {
    record Answer(String file) {}

    @Mixin
    private final Output output = new Output();

    @Parameters(
            paramLabel = "FILE",
            arity = "0..1",
            defaultValue = "oneroof.yaml",
            description = "The file to write (default ${DEFAULT-VALUE}). An existing file is left as it is.")
    @SuppressWarnings("NullAway.Init")
    private Path file;

    @Override
    public Integer call() {
        try {
            Files.writeString(file, ConfigTemplate.yaml(), StandardOpenOption.CREATE_NEW);
        } catch (FileAlreadyExistsException e) {
            throw new OneRoofException(
                    new Problem(
                            ErrorCode.CONFLICT, "file", file.toString(), null, "exists already", "name another one"),
                    e);
        } catch (IOException e) {
            throw new OneRoofException(
                    new Problem(ErrorCode.HOME_NOT_WRITABLE, "file", file.toString(), null, "cannot be written", null),
                    e);
        }
        output.report("wrote %s".formatted(file), new Answer(file.toString()));
        return 0;
    }
}
