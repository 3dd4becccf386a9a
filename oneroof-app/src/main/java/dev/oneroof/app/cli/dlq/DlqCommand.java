package dev.oneroof.app.cli.dlq;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "dlq",
        description = "Manage dead letters: rows and jobs that failed for good.",
        subcommands = {
            DlqGroupsCommand.class,
            DlqListCommand.class,
            DlqShowCommand.class,
            DlqTriageCommand.class,
            DlqReplayCommand.class,
            DlqCloseCommand.class
        })
public final class DlqCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "missing verb; use groups, list, show, triage, replay or close");
    }
}
