/** Runs jobs: the dispatcher of an instance, and the keeper of the queue. */
@NullMarked
package dev.oneroof.core.job.worker;

import org.jspecify.annotations.NullMarked;
