package dev.oneroof.bench.cli;

import dev.oneroof.app.cli.NumberConverters;
import dev.oneroof.bench.jobspeed.JobsBench;
import dev.oneroof.bench.jobspeed.JobsConfig;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "jobs",
        description =
                "Measure draining and enqueuing of jobs against a bare table, and a drain with obstacles against one without.",
        footer = {
            "",
            "Works in schema oneroof_bench and with the kinds bench_noop and bench_other, which it creates and removes, and"
                    + " opens the gate queue.jobs.enabled while it runs. Exit code 3: a bound does not hold.",
        })
final class BenchJobsCommand implements Callable<Integer> {
    private static final int KEPT = 1_000_000;
    private static final int KEPT_IN_FULL = 5_000_000;
    private static final int BEFORE = 400_000;
    private static final int FRONT = 200_000;

    @Mixin
    private final BenchOptions options = new BenchOptions();

    @Option(
            names = "--jobs",
            paramLabel = "N",
            defaultValue = "50000",
            converter = NumberConverters.Rows.class,
            description = "Jobs in one drain (default ${DEFAULT-VALUE}).")
    private long jobs;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "9",
            converter = BenchNumberConverters.Rounds.class,
            description = "Rounds; in each, reference and candidate run once (default ${DEFAULT-VALUE}).")
    private long rounds;

    @Option(names = "--full", description = "Keep 5,000,000 ended jobs instead of 1,000,000.")
    private boolean full;

    @Option(
            names = "--part",
            paramLabel = "NAME",
            description = "Run only this part; may be repeated: ${COMPLETION-CANDIDATES}.")
    private List<JobsConfig.Part> parts = List.of();

    @Override
    public Integer call() throws Exception {
        int many = Math.toIntExact(jobs);
        JobsConfig config = new JobsConfig(
                many,
                Math.toIntExact(rounds),
                full ? KEPT_IN_FULL : Math.min(KEPT, 20 * many),
                Math.min(BEFORE, 8 * many),
                Math.min(FRONT, 4 * many),
                parts.isEmpty() ? EnumSet.allOf(JobsConfig.Part.class) : EnumSet.copyOf(parts));
        return options.run("jobs, %d per drain".formatted(jobs), new JobsBench(config));
    }
}
