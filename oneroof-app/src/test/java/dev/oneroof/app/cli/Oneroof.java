package dev.oneroof.app.cli;

import dev.oneroof.app.Main;
import dev.oneroof.testkit.fault.JavaProcess;
import dev.oneroof.testkit.server.TestDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** The command, as a process of its own in a folder of its own. */
final class Oneroof {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final Path folder;
    private final Map<String, String> environment = new HashMap<>();

    Oneroof(Path folder) {
        this.folder = folder;
    }

    record Answer(int exit, String out, String err) {}

    Oneroof with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    /** Logs in to the test's database as its superuser. */
    Oneroof on(TestDatabase database) {
        return with("ONEROOF_DB_URL", url(database, database.address().user()))
                .with("ONEROOF_DB_PASSWORD", database.address().password());
    }

    static String url(TestDatabase database, String user) {
        return "postgres://%s@%s:%d/%s"
                .formatted(user, database.address().host(), database.address().port(), database.name());
    }

    Answer run(String... arguments) {
        try (JavaProcess process = start(arguments)) {
            int exit = process.awaitExit(LIMIT);
            return new Answer(exit, process.out().whole(), process.err().whole());
        }
    }

    JavaProcess start(String... arguments) {
        JavaProcess.Launch launch =
                JavaProcess.of(Main.class).arguments(arguments).in(folder);
        environment.forEach(launch::environment);
        return launch.start();
    }
}
