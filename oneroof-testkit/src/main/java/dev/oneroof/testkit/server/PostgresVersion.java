package dev.oneroof.testkit.server;

import dev.oneroof.embeddedpostgres.PostgresBinaries;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** The servers of the matrix: the one that comes along with OneRoof, and the ends of the supported range. */
public enum PostgresVersion {
    OLDEST("oneroof.test.postgres.oldest"),
    BUNDLED(""),
    NEWEST("oneroof.test.postgres.newest");

    private final String property;

    PostgresVersion(String property) {
        this.property = property;
    }

    /** The binaries; those of the ends lie where the build has put them and named them by a system property. */
    PostgresBinaries binaries() {
        return this == BUNDLED ? PostgresBinaries.bundled() : PostgresBinaries.fromJar(jar());
    }

    private Path jar() {
        String value = System.getProperty(property, "");
        Path jar = Path.of(value);
        // A missing server is a failure and not a skip: a matrix that shrinks by itself proves nothing.
        if (value.isBlank() || !Files.isRegularFile(jar)) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "The system property " + property + " must name the jar of the " + name().toLowerCase(Locale.ROOT)
                            + " PostgreSQL's binaries; it is '" + value + "'.");
        }
        return jar;
    }
}
