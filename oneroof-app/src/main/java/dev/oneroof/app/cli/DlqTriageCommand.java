package dev.oneroof.app.cli;

import dev.oneroof.core.job.Triage;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "triage",
        description = "Says what is to become of dead letters of jobs: one by one, or a group that failed alike.",
        footer = {"", "Only what is triaged as manual_replay can be replayed. 'oneroof dlq close' is the end of one."})
final class DlqTriageCommand implements Callable<Integer> {
    /** What they can be triaged as; closing has a verb of its own. */
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
    private final DlqAct act = new DlqAct();

    @Option(names = "--as", required = true, paramLabel = "STATUS", description = "${COMPLETION-CANDIDATES}.")
    @SuppressWarnings("NullAway.Init")
    private As as;

    @Override
    public Integer call() {
        return act.triage(as.triage);
    }
}
