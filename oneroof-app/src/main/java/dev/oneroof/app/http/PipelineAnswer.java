package dev.oneroof.app.http;

import dev.oneroof.core.liveness.Health;
import dev.oneroof.core.operator.StatusReport;
import dev.oneroof.core.operator.StatusView;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The verdict over everything that moves data, for a monitor. */
record PipelineAnswer(
        String verdict, String state, boolean healthy, long deadLetters, int findings, List<Executor> executors) {
    record Executor(
            String name,
            @Nullable String state,
            @Nullable String reason,
            @Nullable Long sinceSeconds) {
        static Executor of(Health.Line line) {
            return new Executor(StatusReport.name(line), line.state(), line.reason(), StatusReport.sinceSeconds(line));
        }
    }

    static PipelineAnswer of(Pipeline.Snapshot snapshot) {
        StatusView status = snapshot.status();
        return status == null
                ? new PipelineAnswer(snapshot.verdict(), "unreachable", false, 0, 0, List.of())
                : new PipelineAnswer(
                        snapshot.verdict(),
                        status.state(),
                        status.healthy(),
                        status.deadLetters(),
                        snapshot.findings().size(),
                        status.executors().stream().map(Executor::of).toList());
    }
}
