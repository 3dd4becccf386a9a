package dev.oneroof.embeddedpostgres;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Extracted programs, and the major version they are of. */
record Installation(Path root, String major) {
    private static final String BOOTSTRAP_HEADER = "# PostgreSQL ";

    /** The version is read where initdb itself checks it: in the first line of the bootstrap script. */
    static Installation at(Path root) throws IOException {
        Path bootstrap = root.resolve("share/postgresql/postgres.bki");
        try (BufferedReader reader = Files.newBufferedReader(bootstrap, StandardCharsets.ISO_8859_1)) {
            String header = reader.readLine();
            if (header == null || !header.startsWith(BOOTSTRAP_HEADER)) {
                throw new OneRoofException(
                        ErrorCode.EMBEDDED_SERVER_FAILED,
                        "The directory " + root + " holds no PostgreSQL that can be used: " + bootstrap
                                + " does not name its version. Remove the directory to have it extracted again.");
            }
            return new Installation(
                    root, header.substring(BOOTSTRAP_HEADER.length()).strip());
        }
    }

    String initdb() {
        return root.resolve("bin/initdb").toString();
    }

    String pgCtl() {
        return root.resolve("bin/pg_ctl").toString();
    }
}
