package dev.oneroof.app.config;

import dev.oneroof.postgres.DatabaseAddress;
import java.util.Map;
import java.util.Optional;

/** The variables that every PostgreSQL tool knows: {@code DATABASE_URL} and libpq's {@code PG…}. */
final class LibpqEnvironment {
    private LibpqEnvironment() {}

    static Optional<DatabaseAddress> address(Map<String, String> environment) {
        String url = environment.get("DATABASE_URL");
        if (url != null) {
            return Optional.of(DatabaseAddress.parse("DATABASE_URL", url));
        }
        if (!environment.containsKey("PGHOST") && !environment.containsKey("PGDATABASE")) {
            return Optional.empty();
        }
        String user = environment.get("PGUSER");
        String sslMode = environment.get("PGSSLMODE");
        String database = environment.getOrDefault("PGDATABASE", user == null ? "postgres" : user);
        // Put together as a text, so that a bad port gets the same answer as in an address.
        String text = "postgres://%s:%s/"
                .formatted(environment.getOrDefault("PGHOST", "localhost"), environment.getOrDefault("PGPORT", "5432"));
        DatabaseAddress bare = DatabaseAddress.parse("PGHOST and PGPORT", text);
        return Optional.of(new DatabaseAddress(
                bare.host(),
                bare.port(),
                database,
                user,
                null,
                sslMode == null ? Map.of() : Map.of("sslmode", sslMode)));
    }
}
