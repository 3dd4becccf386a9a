package dev.oneroof.embeddedpostgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Set;

/**
 * As whom the server's programs run.
 *
 * @param prefix what comes before a program on its command line
 * @param dropped whether files have to be given to {@code uid} and {@code gid}, since those are truly other ones
 */
record ServerAccount(List<String> prefix, boolean dropped, int uid, int gid) {

    /** The account that this process has. */
    static ServerAccount own() {
        return new ServerAccount(List.of(), false, 0, 0);
    }

    void give(Path path) throws IOException {
        if (dropped) {
            Files.setAttribute(path, "unix:uid", uid);
            Files.setAttribute(path, "unix:gid", gid);
        }
    }

    /** Lets the account pass through a directory that is ours; it still cannot list it. */
    void letThrough(Path directory) throws IOException {
        if (dropped) {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(directory);
            if (permissions.add(PosixFilePermission.OTHERS_EXECUTE)) {
                Files.setPosixFilePermissions(directory, permissions);
            }
        }
    }
}
