package dev.oneroof.app.cli;

import dev.oneroof.app.config.AppConfig;
import dev.oneroof.app.connect.Access;
import dev.oneroof.app.connect.OpenDatabase;
import dev.oneroof.app.connect.SchemaAccess;
import dev.oneroof.app.host.Features;
import dev.oneroof.app.host.Server;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "up",
        description = "Run the server: workers, jobs and schedules, health, metrics and the status page.",
        footer = {
            "",
            "It runs on the embedded PostgreSQL, or on the database that the settings name. SIGTERM and Ctrl-C drain it: each"
                    + " pass that runs is finished, leases are given back, then it exits with 0. Several may run on one"
                    + " database; they share the work."
        })
final class UpCommand implements Callable<Integer> {
    private static final Duration LOOK = Duration.ofMinutes(1);

    /** What is printed when it is ready. */
    record Ready(String instance, String database, String http) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Option(names = "--instance", paramLabel = "NAME", description = "The name of this instance (setting instance).")
    private @Nullable String instance;

    @Option(
            names = "--port",
            paramLabel = "N",
            description = "The port for health, metrics and the status page (setting http.port); 0 takes a free one.")
    private @Nullable Integer port;

    @Override
    public Integer call() {
        AppConfig config = options.loadForServer(instance, port);
        Logging.forServer(config.server().logsJson());
        try (ShutdownHook shutdown = new ShutdownHook(output.console());
                OpenDatabase database = OpenDatabase.open(config, Access.OWN)) {
            if (database.isEmbedded()) {
                SchemaAccess.migrate(config, database);
            }
            String name = config.server().instance().orElse(database.instance());
            try (Server server = Server.start(config, database, name, Features.all(), Version.number())) {
                output.say("ready: instance %s on %s, %s".formatted(name, database.address(), server.address()));
                output.printIfJson(new Ready(name, database.address().toString(), server.address()));
                while (shutdown.waiting().pause(LOOK)) {
                    // Until a signal.
                }
                output.say("draining");
            }
            output.say("stopped");
            shutdown.stoppingCleanly();
        }
        return 0;
    }
}
