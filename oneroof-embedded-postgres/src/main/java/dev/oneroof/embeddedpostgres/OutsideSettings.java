package dev.oneroof.embeddedpostgres;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The settings that run code or name files outside the data directory, each with a value that does neither. They are given
 * on the command line, so that the configuration files of a home that was unpacked or copied cannot set them; the caller
 * can, by {@link EmbeddedConfig#settings()}. All others stay as the files say: memory, planner, autovacuum, what is logged.
 *
 * <p>Where a new version of PostgreSQL brings another such setting, it belongs here. A version refuses one that it does not
 * know.
 */
final class OutsideSettings {
    private static final int ANY = 99;

    private record Setting(String name, String value, int first, int last) {
        static Setting always(String name, String value) {
            return new Setting(name, value, 0, ANY);
        }
    }

    private static final List<Setting> ALL = List.of(
            // Libraries that are loaded, and where they are looked for. A provider's name may hold a path.
            Setting.always("shared_preload_libraries", ""),
            Setting.always("session_preload_libraries", ""),
            Setting.always("local_preload_libraries", ""),
            Setting.always("dynamic_library_path", "$libdir"),
            Setting.always("jit_provider", "llvmjit"),
            new Setting("extension_control_path", "$system", 18, ANY),
            new Setting("oauth_validator_libraries", "", 18, ANY),
            // Commands for a shell. Without one, an archive that is on would keep all of the log.
            Setting.always("archive_mode", "off"),
            Setting.always("archive_command", ""),
            new Setting("archive_library", "", 15, ANY),
            Setting.always("archive_cleanup_command", ""),
            Setting.always("restore_command", ""),
            Setting.always("recovery_end_command", ""),
            Setting.always("ssl_passphrase_command", ""),
            // Another server, from which all data would be taken.
            Setting.always("primary_conninfo", ""),
            // Files that are written or removed. What the server says goes to server.log.
            Setting.always("logging_collector", "off"),
            Setting.always("log_directory", "log"),
            Setting.always("log_filename", "postgresql-%Y-%m-%d_%H%M%S.log"),
            new Setting("stats_temp_directory", "pg_stat_tmp", 0, 14),
            new Setting("promote_trigger_file", "", 0, 15));

    private OutsideSettings() {}

    static Map<String, String> of(int major) {
        Map<String, String> settings = new LinkedHashMap<>();
        ALL.stream()
                .filter(setting -> setting.first() <= major && major <= setting.last())
                .forEach(setting -> settings.put(setting.name(), setting.value()));
        return settings;
    }
}
