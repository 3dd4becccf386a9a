package dev.oneroof.app.config;

import dev.oneroof.postgres.ConnectionInfo;
import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.postgres.Tls;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.postgres.schema.RoleNames;
import dev.oneroof.postgres.schema.SchemaConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Puts the settings together: flag, then environment, then file, then default. All problems are reported at once, and
 * nothing is corrected silently.
 */
public final class ConfigLoader {
    private static final String FILE_SUFFIX = "_FILE";
    /** Read by the launcher or the logging, not by us. */
    private static final Set<String> OTHERS = Set.of(
            "ONEROOF_CONFIG",
            "ONEROOF_BUILD",
            "ONEROOF_JAVA_HOME",
            "ONEROOF_JAVA_OPTS",
            "ONEROOF_JDK_DIRS",
            "ONEROOF_LOG_LEVEL");

    private static final Pattern INSTANCE_NAME = Pattern.compile("[A-Za-z0-9_./-]{1,100}");

    private final Map<String, String> environment;
    private final ConfigFlags flags;
    private final List<String> problems = new ArrayList<>();
    private final Map<Setting, String> values = new LinkedHashMap<>();
    private boolean ownSettingsOnly;

    public ConfigLoader(Map<String, String> environment, ConfigFlags flags) {
        this.environment = environment;
        this.flags = flags;
    }

    /**
     * Takes an external database from OneRoof's own settings only, and not from what the environment says about databases
     * in general: for a command that fills one.
     */
    public ConfigLoader fromOwnSettingsOnly() {
        ownSettingsOnly = true;
        return this;
    }

    public AppConfig load() {
        readFile();
        readEnvironment();
        readFlags();
        refuseBlanks();
        AppConfig config = new AppConfig(
                Path.of(text(Settings.HOME)).toAbsolutePath().normalize(),
                number(Settings.EMBEDDED_PORT, 0, 65535),
                checked(this::database, Optional.empty()),
                checked(this::schema, SchemaConfig.DEFAULT),
                number(Settings.DB_POOL_SIZE, 3, 100),
                Duration.ofSeconds(number(Settings.LEASE_SECONDS, 10, 3600)),
                server());
        if (!problems.isEmpty()) {
            throw new OneRoofException(ErrorCode.INVALID_INPUT, String.join("\n", problems));
        }
        return config;
    }

    private void readFile() {
        String named = environment.get("ONEROOF_CONFIG");
        Path file = flags.file() != null ? flags.file() : named == null ? null : Path.of(named);
        ConfigFile.read(file)
                .forEach((key, value) -> Settings.byKey(key)
                        .ifPresentOrElse(setting -> values.put(setting, value), () -> unknownKey(key)));
    }

    private void unknownKey(String key) {
        Set<String> known = Settings.ALL.stream().map(Setting::key).collect(Collectors.toSet());
        problems.add("config: unknown key '%s'%s".formatted(ConfigFile.shown(key), Suggestion.forWord(key, known)));
    }

    private void readEnvironment() {
        Set<String> known = Stream.concat(
                        OTHERS.stream(),
                        Settings.ALL.stream()
                                .flatMap(s -> s.secret()
                                        ? Stream.of(s.environmentName(), s.environmentName() + FILE_SUFFIX)
                                        : Stream.of(s.environmentName())))
                .collect(Collectors.toSet());
        environment.keySet().stream()
                .filter(name -> name.startsWith("ONEROOF_") && !known.contains(name))
                .sorted()
                .forEach(name -> problems.add(
                        "environment: unknown variable '%s'%s".formatted(name, Suggestion.forWord(name, known))));
        for (Setting setting : Settings.ALL) {
            String value = environment.get(setting.environmentName());
            String file = environment.get(setting.environmentName() + FILE_SUFFIX);
            if (value != null) {
                values.put(setting, value);
            } else if (file != null && setting.secret()) {
                checked(() -> values.put(setting, secretIn(setting, Path.of(file))));
            }
        }
    }

    private static String secretIn(Setting setting, Path file) {
        try {
            return Files.readString(file).stripTrailing();
        } catch (IOException e) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "%s: '%s' cannot be read".formatted(setting.environmentName() + FILE_SUFFIX, file),
                    e);
        }
    }

    private void readFlags() {
        String db = flags.db();
        if (db != null) {
            int before = problems.size();
            checked(() -> refusePassword(ConnectionInfo.parse("--db", db)));
            if (problems.size() == before) {
                values.put(Settings.DB_URL, db);
            }
        }
        if (flags.home() != null) {
            values.put(Settings.HOME, flags.home().toString());
        }
        if (flags.schema() != null) {
            values.put(Settings.DB_SCHEMA, flags.schema());
        }
        if (flags.instance() != null) {
            values.put(Settings.INSTANCE, flags.instance());
        }
        if (flags.httpPort() != null) {
            values.put(Settings.HTTP_PORT, flags.httpPort().toString());
        }
    }

    /** An empty variable is more often a slip than a wish, and an empty home would be the current folder. */
    private void refuseBlanks() {
        for (Setting setting : Settings.ALL) {
            String value = values.get(setting);
            if (value != null && value.isBlank() && !"".equals(setting.fallback())) {
                problems.add(
                        "%s: '%s' is not allowed; allowed is %s".formatted(setting.key(), value, setting.allowed()));
                values.remove(setting);
            }
        }
    }

    /** All users of the machine can see command lines. */
    private static void refusePassword(ConnectionInfo address) {
        if (address.password() != null) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "--db: a password does not belong on the command line; put it in ONEROOF_DB_PASSWORD,"
                            + " ONEROOF_DB_PASSWORD_FILE, PGPASSWORD or .pgpass");
        }
    }

    private Optional<DatabaseAddress> database() {
        LibpqEnvironment libpq = new LibpqEnvironment(environment);
        String url = values.get(Settings.DB_URL);
        if (url == null && (ownSettingsOnly || !libpq.namesDatabase())) {
            return Optional.empty();
        }
        ConnectionInfo login = ConnectionInfo.login(values.get(Settings.DB_USER), values.get(Settings.DB_PASSWORD));
        Optional<ConnectionInfo> named =
                url == null ? libpq.url() : Optional.of(ConnectionInfo.parse(Settings.DB_URL.key(), url));
        DatabaseAddress address = named.map(info -> info.or(login))
                .orElse(login)
                .or(libpq.variables())
                .address();
        // Refuses what contradicts itself, here and not when a connection is opened.
        Tls.of(address);
        return Optional.of(address);
    }

    private AppConfig.Server server() {
        String instance = values.get(Settings.INSTANCE);
        if (instance != null && !INSTANCE_NAME.matcher(instance).matches()) {
            notAllowed(Settings.INSTANCE, instance);
        }
        String format = text(Settings.LOG_FORMAT);
        if (!format.equals("text") && !format.equals("json")) {
            notAllowed(Settings.LOG_FORMAT, format);
        }
        return new AppConfig.Server(
                Optional.ofNullable(instance),
                text(Settings.HTTP_HOST),
                number(Settings.HTTP_PORT, 0, 65535),
                format.equals("json"));
    }

    private void notAllowed(Setting setting, String value) {
        problems.add("%s: '%s' is not allowed; allowed is %s".formatted(setting.key(), value, setting.allowed()));
    }

    private SchemaConfig schema() {
        return new SchemaConfig(new SchemaName(text(Settings.DB_SCHEMA)), new RoleNames(text(Settings.DB_ROLE_PREFIX)));
    }

    private String text(Setting setting) {
        String value = values.get(setting);
        return value != null ? value : String.valueOf(setting.fallback());
    }

    private int number(Setting setting, int least, int most) {
        String value = text(setting);
        try {
            int number = Integer.parseInt(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // reported below, together with numbers out of bounds
        }
        notAllowed(setting, value);
        return least;
    }

    private void checked(Runnable step) {
        checked(
                () -> {
                    step.run();
                    return true;
                },
                true);
    }

    private <T> T checked(Supplier<T> value, T otherwise) {
        try {
            return value.get();
        } catch (OneRoofException e) {
            problems.add(e.message());
            return otherwise;
        }
    }
}
