package dev.oneroof.core.finding;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The type of a finding: the name of a row in {@code system_issue_type}. Each feature registers its own types there; to
 * raise one that is not registered is an error from the database. The constants are the types that the runtime raises.
 *
 * @param name lower snake case
 */
public record FindingType(String name) {
    // As its table allows it.
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]*");

    public static final FindingType CURSOR_LAG = new FindingType("cursor_lag");
    public static final FindingType CURSOR_DLQ = new FindingType("cursor_dlq");
    public static final FindingType CURSOR_DLQ_OVERFLOW = new FindingType("cursor_dlq_overflow");
    public static final FindingType CURSOR_LEASE_CONFLICT = new FindingType("cursor_lease_conflict");
    public static final FindingType CURSOR_WATERMARK_REGRESSION = new FindingType("cursor_watermark_regression");
    public static final FindingType CURSOR_CONTRACT_BROKEN = new FindingType("cursor_contract_broken");
    public static final FindingType CURSOR_CLOCK_STEPPED_BACK = new FindingType("cursor_clock_stepped_back");
    public static final FindingType CURSOR_STRETCH_FULL = new FindingType("cursor_stretch_full");

    /** The types that are raised under the key of a cursor, and resolved when the cursor is removed. */
    public static final List<FindingType> OF_A_CURSOR = List.of(
            CURSOR_LAG,
            CURSOR_DLQ,
            CURSOR_DLQ_OVERFLOW,
            CURSOR_LEASE_CONFLICT,
            CURSOR_WATERMARK_REGRESSION,
            CURSOR_CONTRACT_BROKEN,
            CURSOR_CLOCK_STEPPED_BACK,
            CURSOR_STRETCH_FULL);

    public FindingType {
        if (!NAME.matcher(name).matches()) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "finding_type: '%s' is not allowed; allowed is lower snake case, such as cursor_lag"
                            .formatted(name));
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
