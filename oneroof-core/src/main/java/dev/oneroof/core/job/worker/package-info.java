/** Runs jobs ({@link dev.oneroof.core.job.worker.JobWorker}) and maintains the queue ({@link dev.oneroof.core.job.worker.JobKeeper}). */
@NullMarked
package dev.oneroof.core.job.worker;

import org.jspecify.annotations.NullMarked;
