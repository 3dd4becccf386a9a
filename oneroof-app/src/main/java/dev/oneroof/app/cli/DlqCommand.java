package dev.oneroof.app.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "dlq",
        description = "Looks after rows that could not be handled, and jobs that were given up.",
        subcommands = {
            DlqGroupsCommand.class,
            DlqListCommand.class,
            DlqShowCommand.class,
            DlqTriageCommand.class,
            DlqReplayCommand.class,
            DlqCloseCommand.class
        })
final class DlqCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "a verb is missing: groups, list, show, triage, replay or close");
    }
}
