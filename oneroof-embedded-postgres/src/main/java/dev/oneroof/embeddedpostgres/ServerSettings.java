package dev.oneroof.embeddedpostgres;

import com.sun.management.OperatingSystemMXBean;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The settings a server starts with. All are given on its command line, because that outranks the configuration files:
 * an {@code ALTER SYSTEM SET fsync = off} has no effect here.
 */
final class ServerSettings {
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)*");

    private static final Map<String, String> KEPT = Map.of(
            "fsync", "on",
            "synchronous_commit", "on",
            "full_page_writes", "on",
            "listen_addresses", ServerAccess.HOST,
            "unix_socket_directories", "",
            "password_encryption", "scram-sha-256");

    /** Also kept, with values of the home: others would move the server away from its directory. */
    private static final Set<String> FOREIGN =
            Set.of("port", "data_directory", "config_file", "hba_file", "ident_file", "external_pid_file");

    private static final Map<String, String> DEFAULTS =
            Map.of("max_prepared_transactions", "64", "timezone", "UTC", "log_timezone", "UTC");

    private static final long MEGABYTE = 1L << 20;

    private final Map<String, String> extra;

    ServerSettings(Map<String, String> extra) {
        this.extra = extra;
    }

    static void check(Map<String, String> extra) {
        List<String> problems = new TreeMap<>(extra)
                .entrySet().stream()
                        .flatMap(setting -> problem(setting.getKey(), setting.getValue()))
                        .toList();
        if (!problems.isEmpty()) {
            throw new OneRoofException(ErrorCode.INVALID_INPUT, String.join(" ", problems));
        }
    }

    private static Stream<String> problem(String name, String value) {
        if (!NAME.matcher(name).matches()) {
            return Stream.of("'" + name + "' is not the name of a server setting.");
        }
        if (KEPT.containsKey(lower(name)) || FOREIGN.contains(lower(name))) {
            return Stream.of("The setting " + name + " of the embedded server cannot be changed to '" + value + "'.");
        }
        if (value.indexOf('\0') >= 0) {
            return Stream.of("The value of the setting " + name + " holds a NUL character.");
        }
        return Stream.empty();
    }

    /** The options as {@code pg_ctl -o} wants them: one text that a shell splits again. */
    String asOptions(int port, Path data, int major) {
        Map<String, String> all = new LinkedHashMap<>(DEFAULTS);
        all.putAll(OutsideSettings.of(major));
        all.put("shared_buffers", buffers(memory()));
        extra.forEach((name, value) -> all.put(lower(name), value));
        all.putAll(KEPT);
        all.put("port", Integer.toString(port));
        // A file may name other places for these. The one for config_file is not read from a file.
        all.put("data_directory", data.toString());
        all.put("hba_file", data.resolve("pg_hba.conf").toString());
        all.put("ident_file", data.resolve("pg_ident.conf").toString());
        // The server says in its log that it cannot write a file without a name. Any name could be a planted link.
        all.put("external_pid_file", "");
        return all.entrySet().stream()
                .map(setting -> "-c " + quoted(setting.getKey() + "=" + setting.getValue()))
                .collect(Collectors.joining(" "));
    }

    /**
     * A sixteenth of the machine's memory, from 128 MB, with which every server comes, to 512. Only what is used of it is
     * taken. A queue of which an open snapshot keeps every version does not fit into 128 MB for long, and is then read and
     * written again and again.
     */
    static String buffers(long memory) {
        return Math.clamp(memory / 16 / MEGABYTE, 128, 512) + "MB";
    }

    private static long memory() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean machine
                ? machine.getTotalMemorySize()
                : 0;
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }

    private static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }
}
