package dev.oneroof.bench.tailspeed;

import java.util.Map;

/** How many rows, and how often reference and candidate take turns. */
public record SpeedConfig(long rows, int rounds) {
    Map<String, Object> settings(int batchSize) {
        return Map.of("rows", rows, "rounds", rounds, "batch_size", batchSize);
    }
}
