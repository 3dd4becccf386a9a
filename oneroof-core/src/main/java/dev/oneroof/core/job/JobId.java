package dev.oneroof.core.job;

import com.github.f4b6a3.uuid.UuidCreator;
import java.util.UUID;

/** A uuid of version 7: those made later sort later. */
public record JobId(UUID value) {
    public static JobId create() {
        return new JobId(UuidCreator.getTimeOrderedEpochPlus1());
    }

    @Override
    public String toString() {
        return value.toString();
    }
}
