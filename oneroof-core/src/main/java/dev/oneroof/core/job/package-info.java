/** Jobs: what is enqueued in one transaction and done in another, by one worker at a time, until it has ended. */
@NullMarked
package dev.oneroof.core.job;

import org.jspecify.annotations.NullMarked;
