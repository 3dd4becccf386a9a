package dev.oneroof.core.worker;

/** How much the server has to bear, as far as workers have to know. */
public sealed interface Load {
    /** Nothing in the way. */
    record Easy() implements Load {}

    /** Rest between batches. */
    record Slow(String reason) implements Load {}

    /** Stand still until it is over. */
    record Hold(String reason) implements Load {}
}
