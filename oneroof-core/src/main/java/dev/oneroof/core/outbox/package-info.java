/** Events: which types there are, and emitting them in the caller's own transaction. */
@NullMarked
package dev.oneroof.core.outbox;

import org.jspecify.annotations.NullMarked;
