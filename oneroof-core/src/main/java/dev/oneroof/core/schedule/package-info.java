/** Jobs that come by the clock: when they are due, and who enqueues them. */
@NullMarked
package dev.oneroof.core.schedule;

import org.jspecify.annotations.NullMarked;
