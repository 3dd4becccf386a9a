package dev.oneroof.core.outbox;

/** Who caused an event, and in which system. */
public record Origin(String actor, String system) {}
