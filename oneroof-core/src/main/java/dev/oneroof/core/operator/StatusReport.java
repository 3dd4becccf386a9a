package dev.oneroof.core.operator;

import dev.oneroof.core.liveness.Health;
import dev.oneroof.core.tail.Sources;
import dev.oneroof.core.tail.source.TailSource;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.text.Counted;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Judges the lines of the health view: the worst state first, in one sentence. */
public final class StatusReport {
    public static final String WELL = "well";
    public static final String NONE = "none";

    /** From bad to good. */
    private static final List<String> STATES =
            List.of("dead", "silent", "stuck", "unwatched", "held", "behind", "working", "quiet");

    private static final List<String> UNHEALTHY = List.of("dead", "silent", "stuck");
    private static final String OUTBOX = "event_outbox";
    private static final int NAMES = 100;

    private final Database db;

    public StatusReport(Database db) {
        this.db = db;
    }

    public StatusView view() {
        Sources sources = new Sources(db);
        List<StatusView.NotKnown> notKnown = sources.notKnown().entrySet().stream()
                .map(one -> new StatusView.NotKnown(one.getKey(), one.getValue()))
                .toList();
        List<Health.Line> lines = new Health(db).lines();
        List<Health.Line> executors = executors(lines);
        List<Health.Line> unattended = unattended(lines);
        long deadLetters = deadLetters(lines);
        String state = state(executors);
        String beside = beside(deadLetters, unattended.size());
        return new StatusView(
                verdict(executors, state, beside, notKnown.isEmpty(), sources.list()) + unseen(notKnown),
                state,
                executors.stream().noneMatch(line -> UNHEALTHY.contains(line.state())),
                executors,
                unattended,
                deadLetters,
                notKnown,
                lines);
    }

    /** What a line is about: its kind before its name, but for an executor. */
    public static String name(Health.Line line) {
        return switch (line.source()) {
            case "backlog_job_queue" -> "kind " + line.subject();
            case "schedule" -> "schedule " + line.subject();
            default -> line.subject();
        };
    }

    /** How long it has been in its state; null where that is not known. Of waiting jobs: since the first of them is due. */
    public static @Nullable Long sinceSeconds(Health.Line line) {
        return line.sinceSeconds() == null && isWaitingKind(line) ? line.ageSeconds() : line.sinceSeconds();
    }

    /** A job kind whose due jobs wait for longer than they should, or are held back. */
    public static boolean isWaitingKind(Health.Line line) {
        return line.source().equals("backlog_job_queue")
                && line.count() != null
                && line.count() > 0
                && ("behind".equals(line.state()) || "held".equals(line.state()));
    }

    /** A schedule that cannot be fired or is overdue. A paused one is as its operator wants it. */
    public static boolean isUnfired(Health.Line line) {
        return line.source().equals("schedule") && !"held".equals(line.state());
    }

    private static List<Health.Line> executors(List<Health.Line> lines) {
        return lines.stream()
                .filter(line -> line.source().equals("heartbeat") || isWaitingKind(line) || isUnfired(line))
                // An instance first: its workers fail with it.
                .sorted(Comparator.comparingInt((Health.Line line) -> STATES.indexOf(String.valueOf(line.state())))
                        .thenComparing(line -> !line.subject().startsWith("instance/")))
                .toList();
    }

    /** After a run by hand a cursor without a worker is as it should be: it is reported and no fault. */
    private static List<Health.Line> unattended(List<Health.Line> lines) {
        return lines.stream()
                .filter(line -> line.source().equals("cursor") && line.executorName() == null)
                .toList();
    }

    private static long deadLetters(List<Health.Line> lines) {
        return lines.stream()
                .filter(line -> line.source().startsWith("dead_letter"))
                .map(Health.Line::count)
                .filter(count -> count != null)
                .mapToLong(Long::longValue)
                .sum();
    }

    private static String state(List<Health.Line> executors) {
        if (executors.isEmpty()) {
            return NONE;
        }
        String worst = String.valueOf(executors.getFirst().state());
        return worst.equals("working") || worst.equals("quiet") ? WELL : worst;
    }

    private static String verdict(
            List<Health.Line> executors, String state, String beside, boolean allKnown, List<TailSource> sources) {
        if (state.equals(NONE)) {
            return beside.isEmpty() ? noWorkerYet(sources) : "nothing is registered" + beside;
        }
        if (state.equals(WELL)) {
            return "%s: %s%s"
                    .formatted(
                            allKnown ? "all is well" : "no fault is known",
                            Counted.of(executors.size(), "executor"),
                            beside);
        }
        List<Health.Line> such =
                executors.stream().filter(line -> state.equals(line.state())).toList();
        Health.Line first = such.stream()
                .sorted(Comparator.comparing(
                                (Health.Line line) -> !line.subject().startsWith("instance/"))
                        .thenComparing(
                                Comparator.comparingLong(StatusReport::orZero).reversed()))
                .findFirst()
                .orElseThrow();
        Long since = sinceSeconds(first);
        return "%d of %d %s, since %s: %s, %s%s"
                .formatted(
                        such.size(),
                        executors.size(),
                        state,
                        since == null ? "-" : age(since),
                        name(first),
                        oneLine(String.valueOf(first.reason())),
                        beside);
    }

    private static long orZero(Health.Line line) {
        Long since = sinceSeconds(line);
        return since == null ? 0 : since;
    }

    private static String noWorkerYet(List<TailSource> sources) {
        List<String> own = sources.stream()
                .map(TailSource::name)
                .filter(name -> !name.equals(OUTBOX))
                .toList();
        return own.isEmpty()
                ? "nothing is registered: no worker has ever run here"
                : "no worker has ever run here; %s registered (%s)"
                        .formatted(
                                Counted.of(own.size(), "source") + (own.size() == 1 ? " is" : " are"),
                                shortened(String.join(", ", own)));
    }

    private static String beside(long deadLetters, int unattended) {
        return (deadLetters == 0
                        ? ""
                        : "; %s %s"
                                .formatted(Counted.of(deadLetters, "dead letter"), deadLetters == 1 ? "waits" : "wait"))
                + (unattended == 0
                        ? ""
                        : "; %s %s no worker"
                                .formatted(Counted.of(unattended, "cursor"), unattended == 1 ? "has" : "have"));
    }

    private static String unseen(List<StatusView.NotKnown> notKnown) {
        return notKnown.isEmpty()
                ? ""
                : "; %s may have rows that no worker has seen (%s)"
                        .formatted(
                                Counted.of(notKnown.size(), "source"),
                                shortened(notKnown.stream()
                                        .map(StatusView.NotKnown::source)
                                        .collect(Collectors.joining(", "))));
    }

    /** As people say it: two minutes are 120 s, and two days are 48 h. */
    public static String age(long seconds) {
        if (seconds < 120) {
            return Math.max(0, seconds) + " s";
        }
        if (seconds < 7200) {
            return seconds / 60 + " min";
        }
        return seconds < 172_800 ? seconds / 3600 + " h" : seconds / 86_400 + " days";
    }

    private static String oneLine(String text) {
        return text.replace('\n', ' ').replace('\t', ' ');
    }

    private static String shortened(String text) {
        return text.length() <= NAMES ? text : text.substring(0, NAMES - 1) + "…";
    }
}
