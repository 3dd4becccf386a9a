package dev.oneroof.app.cli.dlq;

import dev.oneroof.core.job.Triage;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "triage",
        description = "Set the triage status of dead letters of jobs, one by one or for a group.",
        footer = {"", "Only dead letters triaged as manual_replay can be replayed. 'oneroof dlq close' closes one."})
final class DlqTriageCommand implements Callable<Integer> {
    /** The statuses that can be set; closing has its own verb. */
    enum As {
        INVESTIGATING(Triage.INVESTIGATING),
        MANUAL_REPLAY(Triage.MANUAL_REPLAY);

        private final Triage triage;

        As(Triage triage) {
            this.triage = triage;
        }

        @Override
        public String toString() {
            return triage.sql();
        }
    }

    @Mixin
    private final TriageOptions act = new TriageOptions();

    @Option(names = "--as", required = true, paramLabel = "STATUS", description = "${COMPLETION-CANDIDATES}.")
    @SuppressWarnings("NullAway.Init")
    private As as;

    @Override
    public Integer call() {
        return act.triage(as.triage);
    }
}
