package dev.oneroof.bench.trials;

/** How many rows at least, how often the server is ended at once, and how often a connection is cut at a COMMIT. */
public record CrashConfig(long rows, int restarts, int cuts, long seed) {}
