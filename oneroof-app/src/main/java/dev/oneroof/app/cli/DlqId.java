package dev.oneroof.app.cli;

import java.util.UUID;

/** Which dead letter: those of rows have numbers, those of jobs have uuids. */
sealed interface DlqId {
    record Row(long number) implements DlqId {}

    record Job(UUID value) implements DlqId {}
}
