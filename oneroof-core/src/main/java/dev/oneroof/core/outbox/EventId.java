package dev.oneroof.core.outbox;

import java.util.UUID;

/** The id of an emitted event, a uuid of version 7; it stays the same over every delivery. */
public record EventId(UUID value) {}
