/** Waiting for something to become true, with a deadline: the one place in the testkit that sleeps. */
@NullMarked
package dev.oneroof.testkit.await;

import org.jspecify.annotations.NullMarked;
