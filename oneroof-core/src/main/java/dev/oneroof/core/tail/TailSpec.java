package dev.oneroof.core.tail;

import dev.oneroof.core.lease.Scope;

/**
 * A tail worker as its author writes it down: what it reads, which gate stops it, and what it does with the rows.
 *
 * @param phase the phase a new cursor starts in
 */
public record TailSpec(Scope scope, String domain, String phase, String gate, BatchEffect effect) {}
