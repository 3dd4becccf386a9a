/** Trials that try to break the tail and the jobs: kills, freezes, crashes, cuts, meddlers, an open snapshot. */
@NullMarked
package dev.oneroof.bench.trials;

import org.jspecify.annotations.NullMarked;
