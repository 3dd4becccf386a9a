package dev.oneroof.app.config;

import java.util.List;
import java.util.Optional;

/** All settings there are. The reference page is made from this list. */
final class Settings {
    static final Setting HOME = new Setting(
            "home",
            "./.oneroof",
            "a folder of your own that nobody else may write",
            false,
            "Where the embedded PostgreSQL keeps its data. One process at a time owns it.");
    static final Setting DB_URL = new Setting(
            "db.url",
            null,
            "postgres://user@host:port/database",
            false,
            "The PostgreSQL database to work on (server version 14 to 18). Without it OneRoof runs an embedded server.");
    static final Setting DB_USER = new Setting("db.user", null, "a role that may log in", false, "Who logs in.");
    static final Setting DB_PASSWORD = new Setting(
            "db.password",
            null,
            "any text",
            true,
            "The password. Better in ONEROOF_DB_PASSWORD_FILE, PGPASSWORD or .pgpass than in a file under version control.");
    static final Setting DB_SCHEMA = new Setting(
            "db.schema",
            "oneroof",
            "1 to 63 of a-z, 0-9 and _, not starting with a digit or pg_",
            false,
            "The schema that holds OneRoof's own tables, in the sources' database.");
    static final Setting DB_ROLE_PREFIX = new Setting(
            "db.role_prefix",
            "",
            "up to 40 of a-z, 0-9 and _",
            false,
            "Stands before the names of the roles, which belong to the whole cluster.");
    static final Setting DB_POOL_SIZE = new Setting(
            "db.pool_size",
            "10",
            "a whole number from 3 to 100",
            false,
            "Connections at most. A worker needs one, and one more while it reads ahead in a backlog; wake-ups need one, and each job that is done in a transaction.");
    static final Setting EMBEDDED_PORT = new Setting(
            "embedded.port",
            "0",
            "a whole number from 0 to 65535",
            false,
            "The embedded server's port on the loopback address; 0 takes a free one.");
    static final Setting LEASE_SECONDS = new Setting(
            "worker.lease_seconds",
            "15",
            "a whole number from 10 to 3600",
            false,
            "How long a worker's scope stays with an instance that has gone quiet.");

    static final Setting INSTANCE = new Setting(
            "instance",
            null,
            "1 to 100 of letters, digits, _, ., - and /, unlike that of any other running instance",
            false,
            "The name under which a server holds leases. Without it a new one for each start, or a constant one for a home.");
    static final Setting HTTP_HOST = new Setting(
            "http.host",
            "127.0.0.1",
            "a loopback address",
            false,
            "The address on which the server answers: health, metrics and the status page.");
    static final Setting HTTP_PORT = new Setting(
            "http.port",
            "7070",
            "a whole number from 0 to 65535",
            false,
            "The port of that address; 0 takes a free one.");
    static final Setting LOG_FORMAT =
            new Setting("log.format", "text", "text or json", false, "How the server writes its log lines, to stderr.");

    static final List<Setting> ALL = List.of(
            HOME,
            DB_URL,
            DB_USER,
            DB_PASSWORD,
            DB_SCHEMA,
            DB_ROLE_PREFIX,
            DB_POOL_SIZE,
            EMBEDDED_PORT,
            LEASE_SECONDS,
            INSTANCE,
            HTTP_HOST,
            HTTP_PORT,
            LOG_FORMAT);

    private Settings() {}

    static Optional<Setting> byKey(String key) {
        return ALL.stream().filter(setting -> setting.key().equals(key)).findFirst();
    }
}
