package dev.oneroof.app.doctor;

import com.zaxxer.hikari.HikariDataSource;
import dev.oneroof.app.config.AppConfig;
import dev.oneroof.app.connect.SchemaAccess;
import dev.oneroof.core.feature.CheckResult;
import dev.oneroof.core.feature.Feature;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.postgres.schema.SchemaStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Runs all checks in order. When the schema check fails, the checks that need the schema are not run. */
public final class Doctor {
    private static final Duration LONG_OPEN = Duration.ofMinutes(5);

    private final AppConfig config;
    private final DatabaseAddress address;
    private final List<Feature> features;

    public Doctor(AppConfig config, DatabaseAddress address, List<Feature> features) {
        this.features = List.copyOf(features);
        this.config = config;
        this.address = address;
    }

    public List<CheckResult> examine() {
        List<CheckResult> found = new ArrayList<>();
        ServerChecks server = new ServerChecks(config, address);
        found.add(server.version());
        found.add(server.tls());
        found.add(server.clock());
        found.add(server.proxy());
        found.addAll(server.openTransactions(LONG_OPEN));
        CheckResult schema = schema();
        found.add(schema);
        if (schema.level() == CheckResult.Level.FAIL) {
            return found;
        }
        try (HikariDataSource pool = Connections.pool(
                address, "oneroof doctor", config.schema().roles().server(), 1)) {
            Database db = new Database(pool, config.schema().schema());
            DataChecks data = new DataChecks(config, db);
            List<Supplier<List<CheckResult>>> checks = List.of(
                    data::connections,
                    data::vacuum,
                    data::sources,
                    data::instances,
                    data::workers,
                    data::jobs,
                    data::wakeUps,
                    data::findings,
                    data::gates);
            checks.forEach(check -> found.addAll(check.get()));
            features.forEach(feature -> feature.checks().forEach(check -> found.addAll(check.run(db))));
        }
        return found;
    }

    private CheckResult schema() {
        try {
            SchemaStatus status = SchemaAccess.status(config, address);
            String evidence = "schema %s at version %s, this program supports %s"
                    .formatted(
                            config.schema().schema(),
                            status.installed() == null ? "none" : status.installed(),
                            status.known());
            return switch (status.state()) {
                case CURRENT -> CheckResult.ok("schema", evidence);
                case ABSENT, BEHIND -> CheckResult.fail("schema", evidence, "oneroof db migrate");
                case NEWER -> CheckResult.fail("schema", evidence, "use a newer oneroof");
                case DIFFERENT ->
                    CheckResult.fail(
                            "schema",
                            "%s; created by an earlier development build, differs in %s"
                                    .formatted(evidence, String.join(", ", status.different())),
                            SchemaAccess.otherwise(config));
            };
        } catch (OneRoofException e) {
            return CheckResult.fail(
                    "schema", e.message(), "grant the server role to the login, or log in as a member of it");
        }
    }
}
