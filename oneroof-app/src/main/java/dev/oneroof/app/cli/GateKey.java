package dev.oneroof.app.cli;

import dev.oneroof.app.config.Suggestion;
import dev.oneroof.core.gate.Gate;
import dev.oneroof.core.gate.GateStore;
import dev.oneroof.postgres.Tx;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.util.List;
import picocli.CommandLine.Parameters;

/** Which gate. */
final class GateKey {
    @Parameters(paramLabel = "GATE", description = "The gate's key; 'oneroof gate list' has them.")
    @SuppressWarnings("NullAway.Init")
    private String key;

    /** That of a gate that is there. */
    String demanded(Tx tx) {
        List<String> known = new GateStore().list(tx).stream().map(Gate::key).toList();
        if (!known.contains(key)) {
            throw new OneRoofException(
                    ErrorCode.NOT_FOUND,
                    "gate: '%s' does not exist%s"
                            .formatted(
                                    key,
                                    Suggestion.near(key, known).orElse("; 'oneroof gate list' has those that do")));
        }
        return key;
    }
}
