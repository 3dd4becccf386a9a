package dev.oneroof.embeddedpostgres;

import java.util.List;

/**
 * How root runs programs that refuse to be run by root, in the order of preference.
 *
 * <p>In a user namespace of its own the server is somebody else only by name: to the rest of the system it is still
 * root, so its files stay ours and a directory that only root may enter can be used. Containers often forbid that; then
 * the server really becomes another user.
 */
enum RootWay {
    NAMESPACE {
        @Override
        ServerAccount as(UnixUser user) {
            List<String> prefix =
                    List.of("unshare", "--user", "--map-user=" + user.uid(), "--map-group=" + user.gid(), "--");
            return new ServerAccount(prefix, false, user.uid(), user.gid());
        }
    },
    SETPRIV {
        @Override
        ServerAccount as(UnixUser user) {
            return dropped(user, "setpriv", "--reuid=" + user.uid(), "--regid=" + user.gid(), "--clear-groups", "--");
        }
    },
    RUNUSER {
        @Override
        ServerAccount as(UnixUser user) {
            return dropped(user, "runuser", "-u", user.name(), "--");
        }
    },
    SU {
        @Override
        ServerAccount as(UnixUser user) {
            return dropped(user, "su", "-s", "/bin/sh", "-c", "exec \"$0\" \"$@\"", user.name(), "--");
        }
    };

    abstract ServerAccount as(UnixUser user);

    private static ServerAccount dropped(UnixUser user, String... prefix) {
        return new ServerAccount(List.of(prefix), true, user.uid(), user.gid());
    }
}
