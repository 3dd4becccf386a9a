package dev.oneroof.core.tail;

import dev.oneroof.core.lease.Scope;
import org.jspecify.annotations.Nullable;

/** A worker's committed position on a source. */
public record Cursor(Scope scope, @Nullable Watermark head, long eventsSeen, long attemptsWritten, String phase) {}
