package dev.oneroof.core.finding;

import java.util.Locale;

/** The types that the runtime raises; {@code system_issue_type} has them all. */
public enum FindingType {
    CURSOR_LAG,
    CURSOR_DLQ,
    CURSOR_DLQ_OVERFLOW,
    CURSOR_LEASE_CONFLICT,
    CURSOR_WATERMARK_REGRESSION,
    CURSOR_CONTRACT_BROKEN,
    CURSOR_CLOCK_STEPPED_BACK,
    CURSOR_STRETCH_FULL;

    public String sql() {
        return name().toLowerCase(Locale.ROOT);
    }
}
