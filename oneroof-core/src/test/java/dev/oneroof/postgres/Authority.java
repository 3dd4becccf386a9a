package dev.oneroof.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Makes certificates, by the JDK's own keytool. */
final class Authority {
    private static final String SECRET = "changeit";

    private final Path store;
    private final Path root;

    Authority(Path folder, String name) throws IOException, InterruptedException, GeneralSecurityException {
        this.store = folder.resolve(name + ".p12");
        this.root = folder.resolve(name + ".crt");
        keytool("-genkeypair", "-alias", "ca", "-dname", "CN=" + name, "-ext", "bc:c");
        write(root, "CERTIFICATE", open().getCertificate("ca").getEncoded());
    }

    /** The file of its own certificate. */
    Path root() {
        return root;
    }

    /** Signs a certificate of a server, and writes it and its key. */
    void sign(String alternativeName, Path certificate, Path key)
            throws IOException, InterruptedException, GeneralSecurityException {
        keytool(
                "-genkeypair",
                "-alias",
                "server",
                "-dname",
                "CN=server",
                "-ext",
                "SAN=" + alternativeName,
                "-signer",
                "ca");
        KeyStore keys = open();
        write(certificate, "CERTIFICATE", keys.getCertificate("server").getEncoded());
        write(key, "PRIVATE KEY", keys.getKey("server", SECRET.toCharArray()).getEncoded());
    }

    private KeyStore open() throws IOException, GeneralSecurityException {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, SECRET.toCharArray());
        }
        return keys;
    }

    private void keytool(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of(arguments));
        command.addAll(List.of("-keyalg", "RSA", "-storetype", "PKCS12", "-storepass", SECRET));
        command.addAll(List.of("-keystore", store.toString()));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IOException("keytool failed: " + String.join(" ", arguments));
        }
    }

    private static void write(Path file, String what, byte[] content) throws IOException {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(file, "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(what, body));
    }
}
