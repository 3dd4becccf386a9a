package dev.oneroof.app.cli;

import dev.oneroof.app.Main;
import dev.oneroof.testkit.fault.JavaProcess;
import dev.oneroof.testkit.server.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The command. It runs in this JVM, with an environment and streams of its own; a JVM of its own takes a second to
 * start. It is a process, in a folder of its own, where that is what is tried: signals, what libraries say on stderr,
 * the current folder.
 */
public final class Oneroof {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    static {
        // As Main does; nothing beside these tests minds.
        Locale.setDefault(Locale.ROOT);
    }

    private final Path folder;
    private final Map<String, String> environment = new HashMap<>();

    public Oneroof(Path folder) {
        this.folder = folder;
    }

    public record Answer(int exit, String out, String err) {}

    public Oneroof with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    /** Logs in to the test's database as its superuser. */
    public Oneroof on(TestDatabase database) {
        return with("ONEROOF_DB_URL", url(database, database.address().user()))
                .with("ONEROOF_DB_PASSWORD", database.address().password());
    }

    public static String url(TestDatabase database, String user) {
        return "postgres://%s@%s:%d/%s"
                .formatted(user, database.address().host(), database.address().port(), database.name());
    }

    /** In this JVM. Its home is where a process in the folder would have it. */
    public Answer run(String... arguments) {
        Map<String, String> variables = new HashMap<>(environment);
        variables.putIfAbsent("ONEROOF_HOME", folder.resolve(".oneroof").toString());
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exit = OneRoofCommandLine.run(new CommandContext(variables, new Console(out, err)), arguments);
        return new Answer(exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    public Answer runAsProcess(String... arguments) {
        try (JavaProcess process = start(arguments)) {
            int exit = process.awaitExit(LIMIT);
            return new Answer(exit, process.out().whole(), process.err().whole());
        }
    }

    public JavaProcess start(String... arguments) {
        JavaProcess.Launch launch =
                JavaProcess.of(Main.class).arguments(arguments).in(folder);
        environment.forEach(launch::environment);
        return launch.start();
    }
}
