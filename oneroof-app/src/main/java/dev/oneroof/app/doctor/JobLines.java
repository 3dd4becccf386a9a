package dev.oneroof.app.doctor;

import dev.oneroof.core.liveness.Health;

/** The lines of {@code v_queue_health} that show a problem with jobs. */
public final class JobLines {
    private JobLines() {}

    /** A kind whose due jobs wait too long, or are stopped by a gate or a pause. */
    public static boolean isWaitingKind(Health.Line line) {
        return line.source().equals("backlog_job_queue")
                && line.count() != null
                && line.count() > 0
                && ("behind".equals(line.state()) || "held".equals(line.state()));
    }

    /** A schedule that cannot fire, or that no instance fires. A paused one is not a problem. */
    public static boolean isUnfired(Health.Line line) {
        return line.source().equals("schedule") && !"held".equals(line.state());
    }

    /** The name with its type before it; an executor has none. */
    public static String name(Health.Line line) {
        return switch (line.source()) {
            case "backlog_job_queue" -> "kind " + line.subject();
            case "schedule" -> "schedule " + line.subject();
            default -> line.subject();
        };
    }
}
