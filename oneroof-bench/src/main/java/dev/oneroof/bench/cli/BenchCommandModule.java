package dev.oneroof.bench.cli;

import dev.oneroof.app.cli.CommandModule;
import java.util.List;

/** Adds {@code bench} to the command where this module is on the class path. */
public final class BenchCommandModule implements CommandModule {
    @Override
    public List<Object> commands() {
        return List.of(new BenchCommand());
    }
}
