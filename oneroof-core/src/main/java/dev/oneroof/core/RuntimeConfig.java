package dev.oneroof.core;

import dev.oneroof.core.worker.LoopConfig;
import dev.oneroof.postgres.SchemaName;

/**
 * How an instance runs.
 *
 * @param instance its name, which no other running instance may bear
 */
public record RuntimeConfig(String instance, SchemaName schema, LoopConfig loop) {
    public static RuntimeConfig named(String instance) {
        return new RuntimeConfig(instance, SchemaName.DEFAULT, LoopConfig.DEFAULT);
    }

    public RuntimeConfig withSchema(SchemaName name) {
        return new RuntimeConfig(instance, name, loop);
    }

    public RuntimeConfig withLoop(LoopConfig times) {
        return new RuntimeConfig(instance, schema, times);
    }
}
