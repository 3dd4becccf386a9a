package dev.oneroof.core.outbox;

/** The actor and the system that caused an event. */
public record Origin(String actor, String system) {}
