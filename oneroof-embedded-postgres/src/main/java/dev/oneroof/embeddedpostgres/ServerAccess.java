package dev.oneroof.embeddedpostgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;

/** Who may come in: one superuser, over the loopback interface, with a password that only this directory knows. */
final class ServerAccess {
    static final String HOST = "127.0.0.1";
    static final String USER = "oneroof_admin";
    private static final int PASSWORD_BYTES = 24;

    private ServerAccess() {}

    /** On disk before the cluster that knows it, so that no crash leaves a cluster whose password nobody has. */
    static void ensurePassword(Path file) throws IOException {
        if (!Files.exists(file)) {
            byte[] random = new byte[PASSWORD_BYTES];
            new SecureRandom().nextBytes(random);
            DurableFile.write(file, Base64.getUrlEncoder().withoutPadding().encodeToString(random));
        }
    }

    static ServerAddress address(Path passwordFile, int port) throws IOException {
        return new ServerAddress(
                HOST, port, USER, Files.readString(passwordFile).strip());
    }
}
