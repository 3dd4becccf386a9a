package dev.oneroof.core.feature;

import dev.oneroof.core.job.Jobs;
import dev.oneroof.core.tail.TailSpec;
import dev.oneroof.core.worker.Worker;
import dev.oneroof.postgres.Database;

/** What an instance offers to its features. */
public interface FeatureContext {
    /** The name of the instance. */
    String instance();

    Database database();

    Jobs jobs();

    /** A worker that tails a source as the spec says. */
    Worker tail(TailSpec spec);
}
