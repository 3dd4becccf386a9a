package dev.oneroof.app.doctor;

import dev.oneroof.core.liveness.Health;

/** What is amiss with jobs, of all that {@code v_queue_health} has. */
public final class JobLines {
    private JobLines() {}

    /** A kind of jobs that are due, and wait for longer than they should or are kept from their workers. */
    public static boolean isWaitingKind(Health.Line line) {
        return line.source().equals("backlog_job_queue")
                && line.count() != null
                && line.count() > 0
                && ("behind".equals(line.state()) || "held".equals(line.state()));
    }

    /** A schedule that cannot be fired, or that nobody fires. One that somebody has paused is as they want it. */
    public static boolean isUnfired(Health.Line line) {
        return line.source().equals("schedule") && !"held".equals(line.state());
    }

    /** What it is, before its name; that of an executor is as it is. */
    public static String name(Health.Line line) {
        return switch (line.source()) {
            case "backlog_job_queue" -> "kind " + line.subject();
            case "schedule" -> "schedule " + line.subject();
            default -> line.subject();
        };
    }
}
