package dev.oneroof.bench.cli;

import dev.oneroof.bench.wakeup.PickupBench;
import dev.oneroof.bench.wakeup.PickupConfig;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "pickup",
        description =
                "Measure the time from the commit of a job to its handler on an idle system, against a bare LISTEN loop.",
        footer = {
            "",
            "Works in schema oneroof_bench and with the kind bench_pickup, which it creates and removes, and opens the gates"
                    + " queue.jobs.enabled and queue.notify.bridge_enabled while it runs. Exit code 3: a bound does not"
                    + " hold.",
        })
final class BenchPickupCommand implements Callable<Integer> {
    @Mixin
    private final BenchOptions options = new BenchOptions();

    @Option(
            names = "--jobs",
            paramLabel = "N",
            defaultValue = "600",
            converter = BenchNumberConverters.Rounds.class,
            description = "Single jobs to measure, each way (default ${DEFAULT-VALUE}).")
    private long jobs;

    @Override
    public Integer call() throws Exception {
        return options.run(
                "pick-up, %d jobs".formatted(jobs), new PickupBench(new PickupConfig(Math.toIntExact(jobs))));
    }
}
