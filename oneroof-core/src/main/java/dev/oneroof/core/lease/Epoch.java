package dev.oneroof.core.lease;

/** Which ownership this is: every claim draws a higher one, and only the newest may commit. */
public record Epoch(long value) {}
