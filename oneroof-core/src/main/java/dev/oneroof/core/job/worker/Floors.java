package dev.oneroof.core.job.worker;

import dev.oneroof.core.job.LeasedJob;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * From where on a leaser looks for jobs, by kind.
 *
 * <p>While somebody holds an old snapshot open, the index keeps every job that was ever leased, and a look from its
 * beginning steps over all of them: after 400,000 jobs it takes a tenth of a second. So where a look was slow for what it
 * brought, and the next one from the beginning, too, those that follow begin where it ended. What comes below (a job of a higher priority, one whose transaction
 * committed late) waits for the next look from the beginning; those take a twentieth of the time at most. Without such a
 * snapshot every look begins at the beginning.
 *
 * <p>While they are used they are noted in the database, for processes that begin.
 */
final class Floors {
    private static final Duration SLOW = Duration.ofMillis(15);
    private static final Duration SLOW_PER_JOB = Duration.ofNanos(25_000);
    private static final int SELDOM = 20;
    private static final Duration SHORTEST = Duration.ofSeconds(3);
    // However slow one look was: what comes below is not to wait for long.
    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final Duration NOTED_EVERY = Duration.ofSeconds(1);

    private final Map<String, String> floors = new HashMap<>();
    private long fullAgainNanos;
    private long notedNanos = System.nanoTime() - NOTED_EVERY.toNanos();
    private boolean raised;
    /** A single slow look says nothing: somebody else may have had the machine. */
    private boolean suspected;

    /**
     * Floors for others to begin with.
     *
     * @param fullAgain in how long a look from the beginning is due
     */
    record Note(Map<String, String> floors, Duration fullAgain) {}

    /** Begins with what another process has noted. */
    void begin(Note note, long now) {
        if (!note.floors().isEmpty()) {
            floors.putAll(note.floors());
            fullAgainNanos = now + note.fullAgain().toNanos();
            raised = true;
        }
    }

    Map<String, String> now(long nanos) {
        return raised && nanos - fullAgainNanos < 0 ? Map.copyOf(floors) : Map.of();
    }

    boolean isRaised() {
        return raised;
    }

    /** Takes in what a look brought, in the order of the jobs. */
    void looked(boolean full, List<LeasedJob> brought, long took, long endedNanos) {
        brought.forEach(job -> floors.put(job.kind(), job.orderAt()));
        if (full) {
            boolean slow = took > SLOW.toNanos() + brought.size() * SLOW_PER_JOB.toNanos();
            raised = slow && (raised || suspected);
            suspected = slow;
            fullAgainNanos = endedNanos + Math.clamp(SELDOM * took, SHORTEST.toNanos(), LONGEST.toNanos());
        }
    }

    /** What to note now; nothing while every look begins at the beginning, or just after it was asked for. */
    Optional<Note> toNote(long now) {
        Map<String, String> used = now(now);
        if (used.isEmpty() || now - notedNanos < NOTED_EVERY.toNanos()) {
            return Optional.empty();
        }
        notedNanos = now;
        return Optional.of(new Note(used, Duration.ofNanos(fullAgainNanos - now)));
    }
}
