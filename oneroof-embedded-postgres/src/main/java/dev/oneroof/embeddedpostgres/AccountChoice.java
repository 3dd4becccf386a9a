package dev.oneroof.embeddedpostgres;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the account to run a server as. PostgreSQL refuses root, so root looks for a way to be somebody else. */
final class AccountChoice {
    private static final Logger log = LoggerFactory.getLogger(AccountChoice.class);
    private static final Duration PROBE = Duration.ofSeconds(20);

    private final Home home;
    private final Installation installation;
    private final Set<RootWay> ways;

    AccountChoice(Home home, Installation installation, Set<RootWay> ways) {
        this.home = home;
        this.installation = installation;
        this.ways = ways;
    }

    ServerAccount choose() throws IOException {
        // The owner's file is new, so it tells who we are on every system.
        if (uid(home.ownerPid()) != 0) {
            return ServerAccount.own();
        }
        for (ServerAccount candidate : candidates().toList()) {
            if (works(candidate)) {
                log.debug("The embedded server runs by {}", candidate.prefix());
                return candidate;
            }
        }
        throw new OneRoofException(ErrorCode.EMBEDDED_SERVER_FAILED, refusal());
    }

    private String refusal() throws IOException {
        String start = "PostgreSQL does not run as root, and there is no way here to run it as somebody else: ";
        String tried = "tried " + ways + " with programs in " + installation.root() + " and the directory "
                + home.directory() + ". ";
        String data = isMade()
                ? "The data belongs to user " + uid(home.data())
                        + " and the server must run as that one (as root's other self in a user namespace for 0). "
                : "";
        return start + tried + data + "Run OneRoof as another user, allow user namespaces,"
                + " or make both directories reachable for others (chmod o+x on them and those above).";
    }

    private boolean isMade() {
        return Files.exists(home.data().resolve("PG_VERSION"));
    }

    /** Who made the data must serve it: an existing cluster leaves one user, and no choice between name and truth. */
    private Stream<ServerAccount> candidates() throws IOException {
        List<UnixUser> users = UnixUser.notRoot();
        if (!isMade()) {
            return ways.stream().flatMap(way -> users.stream().limit(2).map(way::as));
        }
        int owner = uid(home.data());
        if (owner == 0) {
            return ways.stream()
                    .filter(way -> way == RootWay.NAMESPACE)
                    .flatMap(way -> users.stream().limit(2).map(way::as));
        }
        return ways.stream()
                .filter(way -> way != RootWay.NAMESPACE)
                .flatMap(way ->
                        users.stream().filter(user -> user.uid() == owner).map(way::as));
    }

    private boolean works(ServerAccount candidate) throws IOException {
        candidate.letThrough(home.directory());
        String script = "cd \"$1\" && test -x \"$2\" && id -u";
        try {
            Programs.Ended ended = new Programs(home, candidate)
                    .run(PROBE, "sh", "-c", script, "sh", home.directory().toString(), installation.pgCtl());
            log.debug("Probe of {}: {}", candidate.prefix(), ended);
            return ended.well() && ended.output().endsWith(Integer.toString(candidate.uid()));
        } catch (OneRoofException e) {
            if (e.code() == ErrorCode.INTERRUPTED) {
                throw e;
            }
            log.debug("Probe of {}", candidate.prefix(), e);
            return false;
        }
    }

    private static int uid(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:uid");
    }
}
