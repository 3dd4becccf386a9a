package dev.oneroof.core.outbox;

/** A type of event as it is registered; an event has this stream, lane and severity unless it says otherwise. */
public record EventTypeDefinition(EventType type, String stream, Lane lane, Severity severity, String description) {}
