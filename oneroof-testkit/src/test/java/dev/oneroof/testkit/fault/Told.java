package dev.oneroof.testkit.fault;

import dev.oneroof.testkit.await.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A process that says how it was started and then ticks until it is ended, for the tests of {@link JavaProcess}. */
final class Told {
    private Told() {}

    public static void main(String[] arguments) throws IOException {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("bye")));
        System.err.println("to the error stream");
        System.out.println("arguments " + List.of(arguments));
        System.out.println("environment " + System.getenv("TOLD") + " option " + System.getProperty("told"));
        System.out.println("directory " + Path.of("").toAbsolutePath());
        if (List.of(arguments).contains("with a child")) {
            System.out.println(
                    "child " + new ProcessBuilder("sleep", "600").start().pid());
        }
        if (List.of(arguments).contains("exit")) {
            System.exit(7);
        }
        for (int tick = 1; true; tick++) {
            System.out.println("tick " + tick);
            Await.pause(Duration.ofMillis(20));
        }
    }
}
