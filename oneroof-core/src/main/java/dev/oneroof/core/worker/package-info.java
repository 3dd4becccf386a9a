/** The loop around all background work: lease, beats, gates, pause, load, wake-ups. */
@NullMarked
package dev.oneroof.core.worker;

import org.jspecify.annotations.NullMarked;
