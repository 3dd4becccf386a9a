package dev.oneroof.app.cli.finding;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "finding",
        description = "List and show findings, acknowledge, mute and resolve them.",
        subcommands = {
            FindingListCommand.class,
            FindingShowCommand.class,
            FindingAckCommand.class,
            FindingResolveCommand.class,
            FindingMuteCommand.class
        })
public final class FindingCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "missing verb; use list, show, ack, resolve or mute");
    }
}
