package dev.oneroof.app.cli.gate;

import dev.oneroof.app.config.Suggestion;
import dev.oneroof.core.gate.Gate;
import dev.oneroof.core.gate.GateStore;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.List;
import picocli.CommandLine.Parameters;

/** The parameter that names a gate. */
final class GateParameter {
    @Parameters(paramLabel = "GATE", description = "The gate's key; see 'oneroof gate list'.")
    @SuppressWarnings("NullAway.Init")
    private String key;

    /** The key; refuses one that does not exist. */
    String existing(Tx tx) {
        List<String> known = new GateStore().list(tx).stream().map(Gate::key).toList();
        if (!known.contains(key)) {
            throw new OneRoofException(
                    ErrorCode.NOT_FOUND,
                    "gate: '%s' does not exist%s"
                            .formatted(key, Suggestion.near(key, known).orElse("; see 'oneroof gate list'")));
        }
        return key;
    }
}
