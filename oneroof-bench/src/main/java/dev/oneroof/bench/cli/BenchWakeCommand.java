package dev.oneroof.bench.cli;

import dev.oneroof.bench.wakeup.WakeBench;
import dev.oneroof.bench.wakeup.WakeConfig;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "wake",
        description =
                "Measure the time from the commit of an event to its handler on an idle system, and the cost of the bridge for"
                        + " emitters.",
        footer = {
            "",
            "Works in schema oneroof_bench and event domain bench_wake, which it creates and removes, and opens and"
                    + " closes the gate queue.notify.bridge_enabled. Exit code 3: a bound does not hold.",
        })
final class BenchWakeCommand implements Callable<Integer> {
    private static final int POLLED = 20;
    private static final int CLIENTS = 16;

    @Mixin
    private final BenchOptions options = new BenchOptions();

    @Option(
            names = "--events",
            paramLabel = "N",
            defaultValue = "200",
            converter = BenchNumberConverters.Rounds.class,
            description = "Single events to measure (default ${DEFAULT-VALUE}).")
    private long events;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "5",
            converter = BenchNumberConverters.Seconds.class,
            description = "How long one round of emitting lasts (default ${DEFAULT-VALUE}).")
    private long seconds;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "5",
            converter = BenchNumberConverters.Rounds.class,
            description = "Rounds; in each, the bridge is on once and off once (default ${DEFAULT-VALUE}).")
    private long rounds;

    @Override
    public Integer call() throws Exception {
        WakeConfig config = new WakeConfig(
                Math.toIntExact(events), POLLED, CLIENTS, Duration.ofSeconds(seconds), Math.toIntExact(rounds));
        return options.run("wake-ups, %d events".formatted(events), new WakeBench(config));
    }
}
