package dev.oneroof.app.config;

import dev.oneroof.postgres.ConnectionInfo;
import dev.oneroof.postgres.LibpqParameter;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The variables that every PostgreSQL tool knows: {@code DATABASE_URL} and libpq's {@code PG…}. */
final class LibpqEnvironment {
    private final Map<String, String> environment;
    private final List<String> problems = new ArrayList<>();

    LibpqEnvironment(Map<String, String> environment) {
        this.environment = environment;
    }

    /** Whether it names a database. A port or a login alone does not. */
    boolean namesDatabase() {
        return environment.containsKey("DATABASE_URL")
                || environment.containsKey("PGHOST")
                || environment.containsKey("PGDATABASE");
    }

    Optional<ConnectionInfo> url() {
        return Optional.ofNullable(environment.get("DATABASE_URL"))
                .map(url -> ConnectionInfo.parse("DATABASE_URL", url));
    }

    /** What libpq's variables say. As to libpq, an empty one says nothing where any text is allowed. */
    ConnectionInfo variables() {
        Map<String, String> parameters = new HashMap<>();
        for (LibpqParameter parameter : LibpqParameter.ALL) {
            parameter.variable().ifPresent(variable -> {
                String value = environment.get(variable);
                if (value != null) {
                    checked(() -> parameter.read(variable, value))
                            .ifPresent(property -> parameters.put(property.name(), property.value()));
                }
            });
        }
        String port = filled("PGPORT");
        ConnectionInfo info = new ConnectionInfo(
                checked(() -> Optional.ofNullable(filled("PGHOST")).map(ConnectionInfo::checkedHost))
                        .orElse(null),
                checked(() -> Optional.ofNullable(port).map(ConnectionInfo::checkedPort))
                        .orElse(null),
                filled("PGDATABASE"),
                filled("PGUSER"),
                filled("PGPASSWORD"),
                parameters);
        if (!problems.isEmpty()) {
            throw new OneRoofException(ErrorCode.INVALID_INPUT, String.join("\n", problems));
        }
        return info;
    }

    private @Nullable String filled(String variable) {
        String value = environment.get(variable);
        return value == null || value.isEmpty() ? null : value;
    }

    private <T> Optional<T> checked(Supplier<Optional<T>> value) {
        try {
            return value.get();
        } catch (OneRoofException e) {
            problems.add(e.message());
            return Optional.empty();
        }
    }
}
