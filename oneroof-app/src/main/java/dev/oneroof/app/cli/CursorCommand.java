package dev.oneroof.app.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "cursor",
        description = "Looks after the positions of workers in their sources.",
        subcommands = {
            CursorListCommand.class,
            CursorShowCommand.class,
            CursorReplayCommand.class,
            CursorSkipCommand.class,
            CursorAcceptCommand.class
        })
final class CursorCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a verb is missing: list, show, replay, skip or accept");
    }
}
