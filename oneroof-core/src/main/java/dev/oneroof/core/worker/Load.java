package dev.oneroof.core.worker;

/** The load of the server, as far as background work reacts to it. */
public sealed interface Load {
    /** No limit is reached. */
    record Normal() implements Load {}

    /** Rest between batches. */
    record Slow(String reason) implements Load {}

    /** Make no pass until it is over. */
    record Hold(String reason) implements Load {}
}
