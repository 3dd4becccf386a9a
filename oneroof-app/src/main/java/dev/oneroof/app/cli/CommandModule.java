package dev.oneroof.app.cli;

import java.util.List;

/**
 * Adds top-level commands to {@code oneroof}. Implementations are found by {@link java.util.ServiceLoader}, so that a module
 * that the server does not need stays off its class path.
 */
public interface CommandModule {
    /** New command objects, each with picocli's {@code @Command}. */
    List<Object> commands();
}
