package dev.oneroof.core.tail.source;

import dev.oneroof.postgres.Tx;
import java.sql.SQLException;
import java.util.Optional;
import org.jdbi.v3.core.mapper.RowMapper;

/** Finds the collation of a column, and its present library version. */
final class CollationStore {
    private static final int DATABASES_HAVE_VERSIONS = 15;

    // The default collation of the database is in pg_database, in columns that were renamed twice: as JSON they can be
    // read by name on every server.
    private static final String COLLATION = """
            SELECT CASE
                       WHEN o.collprovider = 'd'
                       THEN 'default ' || coalesce(
                           to_jsonb(d) ->> 'datlocale', to_jsonb(d) ->> 'daticulocale', d.datcollate)
                       ELSE quote_ident(n.nspname) || '.' || quote_ident(o.collname)
                   END AS name,
                   CASE
                       WHEN o.collprovider = 'd'
                       THEN (%s)
                       ELSE pg_collation_actual_version(o.oid)
                   END AS version,
                   o.collisdeterministic AS deterministic
            FROM pg_catalog.pg_attribute a
            JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
            JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace
            JOIN pg_catalog.pg_collation o ON o.oid = a.attcollation
            JOIN pg_catalog.pg_namespace n ON n.oid = o.collnamespace
            JOIN pg_catalog.pg_database d ON d.datname = current_database()
            WHERE s.nspname = :schema AND c.relname = :table AND a.attname = :column AND NOT a.attisdropped
            """;

    private static final String VERSION_OF_DATABASE = "SELECT pg_database_collation_actual_version(d.oid)";

    // PostgreSQL 14 has no such function; a collation of the same locale has the version.
    private static final String VERSION_OF_SAME_LOCALE = """
            SELECT pg_collation_actual_version(same.oid)
            FROM pg_catalog.pg_collation same
            WHERE same.collprovider = 'c' AND same.collcollate = d.datcollate AND same.collencoding IN (-1, d.encoding)
            ORDER BY same.oid
            LIMIT 1
            """;

    /** The collation of a column that has one, now. */
    Optional<Collation> of(Tx tx, TailSource.Relation relation, String column) {
        return ask(
                tx, relation, column, (row, context) -> new Collation(row.getString("name"), row.getString("version")));
    }

    /** Whether it treats no two different texts as equal. */
    boolean isDeterministic(Tx tx, TailSource.Relation relation, String column) {
        return this.<Boolean>ask(tx, relation, column, (row, context) -> row.getBoolean("deterministic"))
                .orElse(true);
    }

    private <T> Optional<T> ask(Tx tx, TailSource.Relation relation, String column, RowMapper<T> mapper) {
        String version = serverVersion(tx) >= DATABASES_HAVE_VERSIONS ? VERSION_OF_DATABASE : VERSION_OF_SAME_LOCALE;
        return tx.query(COLLATION.formatted(version))
                .bind("schema", relation.schema())
                .bind("table", relation.table())
                .bind("column", column)
                .map(mapper)
                .findOne();
    }

    private static int serverVersion(Tx tx) {
        try {
            return tx.connection().getMetaData().getDatabaseMajorVersion();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
