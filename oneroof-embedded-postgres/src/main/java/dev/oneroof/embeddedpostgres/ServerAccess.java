package dev.oneroof.embeddedpostgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;

/**
 * Who may come in, over the loopback interface and with passwords that only this directory knows: a superuser, and the login
 * that programs and people use.
 */
final class ServerAccess {
    static final String HOST = "127.0.0.1";
    static final String ADMIN = "oneroof_admin";
    private static final int PASSWORD_BYTES = 24;

    private ServerAccess() {}

    /** On disk before the cluster that knows it, so that no crash leaves a cluster whose password nobody has. */
    static void ensureAdminPassword(Home home) throws IOException {
        if (!Files.exists(home.adminPassword())) {
            DurableFile.write(home.adminPassword(), newPassword());
        }
    }

    static String newPassword() {
        byte[] random = new byte[PASSWORD_BYTES];
        new SecureRandom().nextBytes(random);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    }

    static ServerAddress admin(Home home, int port) throws IOException {
        return address(home.adminPassword(), ADMIN, port);
    }

    static ServerAddress program(Home home, int port) throws IOException {
        return address(home.password(), ProgramLogin.USER, port);
    }

    private static ServerAddress address(Path passwordFile, String user, int port) throws IOException {
        return new ServerAddress(
                HOST, port, user, Files.readString(passwordFile).strip());
    }
}
