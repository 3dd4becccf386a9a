package dev.oneroof.app.cli.dlq;

import java.util.UUID;

/** The id of a dead letter: a number for a row, a uuid for a job. */
sealed interface DlqId {
    record Row(long number) implements DlqId {}

    record Job(UUID value) implements DlqId {}
}
