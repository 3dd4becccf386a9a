package dev.oneroof.core.tail;

import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.source.Watermark;
import org.jspecify.annotations.Nullable;

/** A row that could not be handled, by its address, without its contents. */
public record DeadLetter(
        long id,
        Scope scope,
        Watermark key,
        @Nullable String table,
        int attempts,
        @Nullable String error,
        @Nullable String sqlState,
        @Nullable String fingerprint,
        String since,
        String triage) {}
