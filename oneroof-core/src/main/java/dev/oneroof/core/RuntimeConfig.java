package dev.oneroof.core;

import dev.oneroof.core.tail.TailConfig;
import dev.oneroof.core.worker.LoopConfig;
import dev.oneroof.postgres.SchemaName;

/**
 * How an instance runs.
 *
 * @param instance its name, which no other running instance may bear
 */
public record RuntimeConfig(String instance, SchemaName schema, LoopConfig loop, TailConfig tail) {
    public static RuntimeConfig named(String instance) {
        return new RuntimeConfig(instance, SchemaName.DEFAULT, LoopConfig.DEFAULT, TailConfig.DEFAULT);
    }

    public RuntimeConfig withSchema(SchemaName name) {
        return new RuntimeConfig(instance, name, loop, tail);
    }

    public RuntimeConfig withLoop(LoopConfig times) {
        return new RuntimeConfig(instance, schema, times, tail);
    }

    public RuntimeConfig withTail(TailConfig behaviour) {
        return new RuntimeConfig(instance, schema, loop, behaviour);
    }
}
