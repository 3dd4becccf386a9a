package dev.oneroof.app.cli.dlq;

import dev.oneroof.core.tail.DeadLetter;
import org.jspecify.annotations.Nullable;

/** A dead letter as the command shows it. */
record DlqAnswer(
        long id,
        String cursor,
        @Nullable String table,
        String key,
        int attempts,
        @Nullable String sqlState,
        @Nullable String error,
        @Nullable String fingerprint,
        String since,
        String triage) {
    static DlqAnswer of(DeadLetter letter) {
        return new DlqAnswer(
                letter.id(),
                letter.scope().toString(),
                letter.table(),
                letter.key().toString(),
                letter.attempts(),
                letter.sqlState(),
                letter.error(),
                letter.fingerprint(),
                letter.since(),
                letter.triage());
    }
}
