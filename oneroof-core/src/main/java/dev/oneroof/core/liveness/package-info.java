/** Which executors are alive: the check for silence, and the states that operators see. */
@NullMarked
package dev.oneroof.core.liveness;

import org.jspecify.annotations.NullMarked;
