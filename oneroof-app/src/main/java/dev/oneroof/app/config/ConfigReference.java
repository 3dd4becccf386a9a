package dev.oneroof.app.config;

import java.util.stream.Collectors;

/** Writes the reference page of the settings, so that it cannot differ from them. */
final class ConfigReference {
    private ConfigReference() {}

    static String markdown() {
        String rows = Settings.ALL.stream().map(ConfigReference::row).collect(Collectors.joining("\n"));
        return """
                # Configuration

                <!-- Made from the code; a test compares it. -->

                A setting is taken from the first place that has it: a flag, the environment, the file, the default.
                The file is `oneroof.yaml` in the current folder, or the one named by `--config` or `ONEROOF_CONFIG`;
                a dot in a key is a level in the file. One in the current folder that other users own or may write is refused.
                Secrets can also be read from a file named by the variable with `_FILE` behind it. Unknown keys are refused.

                Where no `db.url` is set, `DATABASE_URL` names the database, or libpq's `PGHOST` or `PGDATABASE`. `oneroof demo`
                and `oneroof bench` leave those aside: they write to a database of yours only when a flag, `ONEROOF_DB_URL` or
                the file names it.

                | key | environment | default | allowed | meaning |
                |---|---|---|---|---|
                %s

                ## The connection

                For a database of yours, each part of the connection is taken from the first place that has it, as in libpq:
                the URL (its parameters first), `db.user` and `db.password`, libpq's variables, the default. A URL may leave
                out any part: `postgres:///registry` with `PGHOST` set is complete. A user, a password or a value with `@`,
                `:`, `/`, `?`, `&` or `%%` in it is escaped in a URL (`@` is `%%40`). Messages never repeat a URL that may hold
                a password.

                | parameter of the URL | environment | default | meaning |
                |---|---|---|---|
                | `host` | `PGHOST` | `localhost` | One host name or IP address; no folder of a socket. |
                | `port` | `PGPORT` | `5432` | |
                | `dbname` | `PGDATABASE` | the user's name | |
                | `user` | `PGUSER` | the name at the operating system | |
                | `password` | `PGPASSWORD` | from the file that `PGPASSFILE` names, or `.pgpass` | Not on the command line. |
                | `sslmode` | `PGSSLMODE` | `verify-full`; on loopback `prefer` | See below. |
                | `sslrootcert` | `PGSSLROOTCERT` | `~/.postgresql/root.crt`, or what this Java trusts | A file of certificates (PEM), or `system` for those that this Java trusts. |
                | `sslcert`, `sslkey` | `PGSSLCERT`, `PGSSLKEY` | `~/.postgresql/postgresql.crt`, `postgresql.pk8` | The client's certificate and key (PKCS-8 as DER, or as PEM with RSA). Needs a file of root certificates. |
                | `sslnegotiation` | `PGSSLNEGOTIATION` | `postgres` | `postgres`, `direct` |
                | `channel_binding` | `PGCHANNELBINDING` | `prefer` | `disable`, `prefer`, `require` |
                | `require_auth` | `PGREQUIREAUTH` | any | Ways to log in that the server may ask for: `none`, `password`, `md5`, `gss`, `sspi`, `scram-sha-256`; several with a comma between, or all with `!` in front. |
                | `gssencmode`, `krbsrvname`, `gsslib` | `PGGSSENCMODE`, `PGKRBSRVNAME`, `PGGSSLIB` | the driver's | Kerberos. |
                | `connect_timeout` | `PGCONNECT_TIMEOUT` | `10` | Seconds; 0 waits without end. |
                | `options` | `PGOPTIONS` | none | Settings of the session. |
                | `target_session_attrs` | `PGTARGETSESSIONATTRS` | `any` | `any`, `read-write`, `primary`. OneRoof works on a primary only. |

                The driver's own parameters may stand in the URL, too. Other names are refused.

                Refused where they are set, since the driver cannot honour them: `PGHOSTADDR`, `PGSERVICE`, `PGSSLCRL`,
                `PGSSLCRLDIR`, `PGREQUIRESSL`, and `PGSSLCERTMODE`, `PGSSLSNI`, `PGSSLMINPROTOCOLVERSION` and
                `PGSSLMAXPROTOCOLVERSION` with another value than `allow`, `1`, up to `TLSv1.2` and `TLSv1.3`; in a URL also
                `sslpassword` and `passfile`. Without effect: `PGAPPNAME` (OneRoof knows its sessions by their names),
                `PGCLIENTENCODING`, `PGREQUIREPEER`, `PGLOADBALANCEHOSTS`, `PGSSLCOMPRESSION`. A revocation list in
                `~/.postgresql/root.crl` is not read.

                | `sslmode` | encrypted | the certificate is verified | the host name is verified |
                |---|---|---|---|
                | `disable` | no | no | no |
                | `allow`, `prefer` | if the server will | no | no |
                | `require` | yes | only where there is a file of root certificates | no |
                | `verify-ca` | yes | yes, needs a file of root certificates | no |
                | `verify-full` | yes | yes | yes |

                Loopback is `localhost`, 127.0.0.0/8 and ::1, by the name in the address. Any other server must prove its name,
                unless `sslmode` says otherwise: with a certificate of a public authority nothing is to be set, with one of
                your own `PGSSLROOTCERT` names its file. A server that refuses TLS, or proves nothing, is not sent a password
                ([why](../decisions/015-tls.md)).

                ## Others

                Read by the launcher and by the log, and by variable only:

                | environment | default | meaning |
                |---|---|---|
                | `ONEROOF_JAVA_HOME` | none | The Java to use, 21 or newer; without it `JAVA_HOME`, the PATH, then the newest in the usual folders. |
                | `ONEROOF_JDK_DIRS` | the usual folders | Where to look for a Java: folders that hold JDKs, with `:` between them. |
                | `ONEROOF_JAVA_OPTS` | none | Options for that Java, such as `-Xmx1g`, with blanks between them. |
                | `ONEROOF_BUILD` | none | `never` runs what is built, whether the sources have changed or not. |
                | `ONEROOF_LOG_LEVEL` | `WARN` | From which level on the log is written, on stderr: `ERROR`, `WARN`, `INFO`, `DEBUG`. |
                """.formatted(rows);
    }

    private static String row(Setting setting) {
        String fallback = setting.fallback() == null ? "none" : "`" + setting.fallback() + "`";
        return "| `%s` | `%s` | %s | %s | %s |"
                .formatted(
                        setting.key(),
                        setting.environmentName(),
                        fallback.equals("``") ? "empty" : fallback,
                        setting.allowed(),
                        setting.meaning());
    }
}
