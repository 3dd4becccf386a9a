package dev.oneroof.embeddedpostgres;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.Locale;

/** The operating system and processor, in the words that the archives of the binaries are named with. */
record Platform(String system, String processor) {

    static Platform current() {
        return of(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
    }

    static Platform of(String osName, String osArch) {
        String os = osName.toLowerCase(Locale.ROOT);
        String system = os.startsWith("linux") ? "linux" : os.startsWith("mac") ? "darwin" : "";
        String processor = switch (osArch.toLowerCase(Locale.ROOT)) {
            case "amd64", "x86_64" -> "x86_64";
            case "aarch64", "arm64" -> "arm_64";
            default -> "";
        };
        if (system.isEmpty() || processor.isEmpty()) {
            throw new OneRoofException(
                    ErrorCode.EMBEDDED_SERVER_FAILED,
                    "There are no PostgreSQL binaries for " + osName + " on " + osArch
                            + ", only for Linux and macOS on x86_64 and ARM64. Use a PostgreSQL server of your own.");
        }
        return new Platform(system, processor);
    }

    String archiveName() {
        return "postgres-" + system + "-" + processor + ".txz";
    }
}
