package dev.oneroof.app.cli.cursor;

import dev.oneroof.core.tail.Cursor;
import dev.oneroof.core.tail.CursorReport;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A cursor as the command shows it.
 *
 * @param notKnown which rows of the source its position says nothing about; null where there are none
 */
record CursorAnswer(
        String cursor,
        String standing,
        @Nullable String head,
        @Nullable String settled,
        long rowsSeen,
        long effectsWritten,
        long deadLettered,
        String phase,
        @Nullable String notKnown) {

    /** With its current lag, owner and open transactions. */
    record Full(
            CursorAnswer position,
            long rowsBehind,
            boolean rowsBehindCapped,
            @Nullable String notKnown,
            @Nullable Double lagSeconds,
            @Nullable Double settledLagSeconds,
            @Nullable String owner,
            @Nullable String doing,
            @Nullable Double beatAgeSeconds,
            long waitingToBeTriedAgain,
            long openDeadLetters,
            List<String> openTransactions) {
        static Full of(CursorReport.Report report) {
            return new Full(
                    CursorAnswer.of(report.cursor(), report.notKnown()),
                    report.rowsBehind(),
                    report.rowsBehind() >= CursorReport.COUNTED_UP_TO,
                    report.notKnown(),
                    report.lagSeconds(),
                    report.settledLagSeconds(),
                    report.owner(),
                    report.doing(),
                    report.beatAgeSeconds(),
                    report.waiting(),
                    report.deadLetters(),
                    report.openTransactions());
        }
    }

    static CursorAnswer of(Cursor cursor, @Nullable String notKnown) {
        return new CursorAnswer(
                cursor.scope().toString(),
                standing(cursor.state()),
                cursor.head() == null ? null : cursor.head().toString(),
                cursor.settled() == null ? null : cursor.settled().toString(),
                cursor.eventsSeen(),
                cursor.attemptsWritten(),
                cursor.deadLettered(),
                cursor.phase(),
                notKnown);
    }

    private static String standing(Cursor.State standing) {
        return switch (standing) {
            case Cursor.State.Active free -> "free";
            case Cursor.State.Held held -> "held, %s: %s".formatted(held.state(), held.reason());
            case Cursor.State.Paused paused ->
                "paused by %s%s: %s"
                        .formatted(
                                paused.actor(),
                                paused.until() == null ? "" : " until " + paused.until(),
                                paused.reason());
        };
    }
}
