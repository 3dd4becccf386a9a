package dev.oneroof.embeddedpostgres;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts and ends the server of a home, by {@code pg_ctl}. */
final class Postmaster {
    private static final Logger log = LoggerFactory.getLogger(Postmaster.class);

    /** Recovery after a crash counts into it, and may have much to read. */
    private static final Duration START = Duration.ofMinutes(10);

    private static final Duration FAST = Duration.ofSeconds(60);
    private static final Duration IMMEDIATE = Duration.ofSeconds(20);
    private static final Duration KILL = Duration.ofSeconds(10);
    private static final Duration GRACE = Duration.ofSeconds(10);
    private static final int LOST_RACES = 5;

    private final Home home;
    private final Installation installation;
    private final Programs programs;
    private final ServerAccount account;
    private final ServerSettings settings;
    private final ServerLog serverLog;
    private final ServerProcesses processes;

    Postmaster(
            Home home, Installation installation, Programs programs, ServerAccount account, ServerSettings settings) {
        this.home = home;
        this.installation = installation;
        this.programs = programs;
        this.account = account;
        this.settings = settings;
        this.serverLog = new ServerLog(home.serverLog());
        this.processes = new ServerProcesses(home.data());
    }

    boolean isRunning() {
        return processes.any();
    }

    /** Returns the port. Whatever is thrown, no server is left running. */
    int start(PortChoice ports) throws IOException {
        for (int lost = 0; ; lost++) {
            int port = ports.choose();
            String problem = tryStart(port);
            if (problem.isEmpty()) {
                ports.remember(port);
                return port;
            }
            // Somebody may have taken the port after it was found free; PostgreSQL then says so in its log only.
            boolean taken = !PortChoice.isFree(port);
            if (taken && ports.isFixed()) {
                throw ports.inUse();
            }
            if (!taken || lost == LOST_RACES) {
                throw new OneRoofException(ErrorCode.EMBEDDED_SERVER_FAILED, problem);
            }
        }
    }

    private String tryStart(int port) throws IOException {
        serverLog.prepare(account);
        // Its process is not our server, or we would not be here: a recycled id must not keep the new one out.
        Files.deleteIfExists(PostmasterFile.in(home.data()));
        boolean started = false;
        try {
            String options = settings.asOptions(port, home.data(), Integer.parseInt(installation.major()));
            Programs.Ended ended = pgCtl(START, "start", "-o", options, "-l", serverLog.path());
            started = ended.well();
            return started
                    ? ""
                    : "The embedded PostgreSQL server in " + home.directory() + " does not start. pg_ctl said: "
                            + ended.output() + System.lineSeparator() + "The last lines of " + serverLog.path() + ":"
                            + System.lineSeparator() + serverLog.lastLines();
        } finally {
            if (!started) {
                Patience.shielded(this::endAtOnce);
            }
        }
    }

    /** Fast, which rolls open transactions back; harder when that takes too long. */
    void end() {
        if (processes.any() && !stop("fast", FAST)) {
            log.warn("The server in {} did not shut down within {}", home.directory(), FAST);
            endAtOnce();
        }
    }

    /** Without a checkpoint, as a crash would; the next start recovers. */
    void endAtOnce() {
        if (processes.any() && !stop("immediate", IMMEDIATE)) {
            log.warn("The server in {} is killed, it did not end within {}", home.directory(), IMMEDIATE);
            processes.all().forEach(ProcessHandle::destroyForcibly);
            if (!Patience.await(KILL, () -> !processes.any())) {
                throw new OneRoofException(
                        ErrorCode.EMBEDDED_SERVER_FAILED,
                        "The server in " + home.directory() + " cannot be ended; these processes are left: "
                                + processes.all().stream()
                                        .map(ProcessHandle::pid)
                                        .toList());
            }
        }
    }

    /** The processes decide, not the word of pg_ctl: it knows only the one in the pid file. */
    private boolean stop(String mode, Duration limit) {
        try {
            Programs.Ended ended = pgCtl(limit, "stop", "-m", mode);
            log.debug("pg_ctl stop -m {}: {}", mode, ended);
            return Patience.await(ended.well() ? GRACE : Duration.ZERO, () -> !processes.any());
        } catch (OneRoofException e) {
            if (e.code() == ErrorCode.INTERRUPTED) {
                throw e;
            }
            log.warn("pg_ctl stop -m {} failed", mode, e);
            return false;
        }
    }

    private Programs.Ended pgCtl(Duration limit, String action, String... options) {
        List<String> line = new ArrayList<>();
        line.add(installation.pgCtl());
        line.add(action);
        line.add("--pgdata=" + home.data());
        line.add("--wait");
        line.add("--timeout=" + limit.toSeconds());
        line.addAll(List.of(options));
        return programs.run(limit.plus(GRACE), line);
    }
}
