package dev.oneroof.embeddedpostgres;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A PostgreSQL server of our own, with everything it needs in one directory. It syncs every commit to disk, listens on
 * the loopback interface only, and asks for a password. It outlives neither {@link #close()} nor the next
 * {@link #open}: one that a killed process left behind is ended before a new one starts.
 */
public final class EmbeddedPostgres implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(EmbeddedPostgres.class);

    private final Home home;
    private final Ownership ownership;
    private final Postmaster postmaster;
    private final RunningServer running;
    private boolean closed;

    private EmbeddedPostgres(Home home, Ownership ownership, Postmaster postmaster, RunningServer running) {
        this.home = home;
        this.ownership = ownership;
        this.postmaster = postmaster;
        this.running = running;
    }

    /**
     * Takes ownership of the directory, starts the server, and waits until it accepts connections. When it throws,
     * nothing is left running and the directory is nobody's.
     *
     * @throws OneRoofException HOME_IN_USE, HOME_NOT_WRITABLE, HOME_NOT_TRUSTED, PORT_IN_USE, INTERRUPTED, or EMBEDDED_SERVER_FAILED with
     *     the last lines of the server's log
     */
    public static EmbeddedPostgres open(EmbeddedConfig config) {
        return open(config, EnumSet.allOf(RootWay.class));
    }

    static EmbeddedPostgres open(EmbeddedConfig config, Set<RootWay> ways) {
        refuseTakenPort(config);
        Home home = Home.prepare(config.directory());
        Ownership ownership = Ownership.take(home);
        boolean opened = false;
        try {
            EmbeddedPostgres server = open(config, ways, home, ownership);
            opened = true;
            log.info("The embedded PostgreSQL server in {} listens on {}", home.directory(), server.address());
            return server;
        } catch (IOException e) {
            throw FileFailure.failed(home.directory(), e);
        } finally {
            if (!opened) {
                ownership.release();
            }
        }
    }

    /** Where there is no cluster yet, no server of ours can hold the port: say no before anything is made. */
    private static void refuseTakenPort(EmbeddedConfig config) {
        int port = config.port();
        Path data = config.directory().resolve("data");
        if (port != 0 && !Files.exists(data) && !PortChoice.isFree(port)) {
            throw new PortChoice(port, data).inUse();
        }
    }

    private static EmbeddedPostgres open(EmbeddedConfig config, Set<RootWay> ways, Home home, Ownership ownership)
            throws IOException {
        Installation installation = config.binaries().install(home);
        Cluster cluster = new Cluster(home, installation);
        cluster.check();
        ServerAccount account = new AccountChoice(home, installation, ways).choose();
        Programs programs = new Programs(home, account);
        Postmaster postmaster =
                new Postmaster(home, installation, programs, account, new ServerSettings(config.settings()));
        if (postmaster.isRunning()) {
            log.warn("Ending the server in {} that a killed process left behind", home.directory());
            postmaster.end();
        }
        PortChoice ports = new PortChoice(config.port(), home.port());
        ports.choose(); // says no before the long work of a new data directory
        cluster.makeIfMissing(programs, account);
        int port = postmaster.start(ports);
        boolean ready = false;
        try {
            ServerAddress admin = ServerAccess.admin(home, port);
            ServerAddress program = new ProgramLogin(home, admin).ensure();
            ready = true;
            return new EmbeddedPostgres(home, ownership, postmaster, new RunningServer(admin, program));
        } finally {
            if (!ready) {
                Patience.shielded(postmaster::end);
            }
        }
    }

    /** As {@link #find}: the address for its superuser. */
    public static Optional<ServerAddress> running(Path directory) {
        return find(directory).map(RunningServer::admin);
    }

    /**
     * The server of a living process that owns this directory; empty when nobody owns it or its server is not up. For
     * clients of a running OneRoof. Changes nothing in the directory.
     *
     * @throws OneRoofException HOME_NOT_TRUSTED
     */
    public static Optional<RunningServer> find(Path directory) {
        return Home.existing(directory).flatMap(EmbeddedPostgres::find);
    }

    private static Optional<RunningServer> find(Home home) {
        try {
            if (!Ownership.isTaken(home)) {
                return Optional.empty();
            }
            Optional<PostmasterFile> file = PostmasterFile.read(home.data());
            boolean alive = new ServerProcesses(home.data())
                    .all().stream()
                            .anyMatch(process -> file.isPresent()
                                    && process.pid() == file.get().pid());
            // The password is written when its login is made, shortly after the first start.
            if (file.isEmpty() || !file.get().ready() || !alive || !Files.exists(home.password())) {
                return Optional.empty();
            }
            int port = file.get().port();
            return Optional.of(new RunningServer(ServerAccess.admin(home, port), ServerAccess.program(home, port)));
        } catch (IOException e) {
            throw FileFailure.failed(home.directory(), e);
        }
    }

    /** Where it listens, and its superuser: for making databases, roles and schemas. */
    public ServerAddress address() {
        return running.admin();
    }

    /** Both ways in. What needs no superuser logs in as the program. */
    public RunningServer logins() {
        return running;
    }

    /** For trials: ends the server as a crash would. It stays down until {@link #start()}. */
    public synchronized void crash() {
        requireOpen();
        Patience.shielded(postmaster::endAtOnce);
    }

    /** For trials: starts the server again on the same port, after a crash; nothing happens when it runs. */
    public synchronized void start() {
        requireOpen();
        try {
            if (!postmaster.isRunning()) {
                postmaster.start(new PortChoice(address().port(), home.port()));
            }
        } catch (IOException e) {
            throw FileFailure.failed(home.directory(), e);
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new OneRoofException(
                    ErrorCode.FAILED, "The embedded server in " + home.directory() + " is already closed.");
        }
    }

    /**
     * Ends the server by a fast shutdown, then gives the directory back. An interrupt does not cut it short; a second
     * call does nothing; a shutdown hook may call it.
     */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            Patience.shielded(postmaster::end);
            log.info("The embedded PostgreSQL server in {} is closed", home.directory());
        } finally {
            ownership.release();
        }
    }
}
