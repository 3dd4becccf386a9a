package dev.oneroof.app.cli.cursor;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "cursor",
        description = "Manage cursors: the positions of workers in their sources.",
        subcommands = {
            CursorListCommand.class,
            CursorShowCommand.class,
            CursorReplayCommand.class,
            CursorSkipCommand.class,
            CursorAcceptCommand.class
        })
public final class CursorCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "missing verb; use list, show, replay, skip or accept");
    }
}
