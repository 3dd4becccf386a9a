package dev.oneroof.app.config;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One thing a user may set. The key names it in the file, and with {@code ONEROOF_} in front and underscores for dots in
 * the environment.
 *
 * @param allowed the allowed values, for messages and for the reference
 */
record Setting(String key, @Nullable String fallback, String allowed, boolean secret, String meaning) {
    String environmentName() {
        return "ONEROOF_" + key.toUpperCase(Locale.ROOT).replace('.', '_');
    }
}
