package dev.oneroof.app.cli.executor;

import dev.oneroof.core.grant.GrantNames;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The names that are granted or revoked. */
final class GrantOptions {
    @Option(
            names = "--kind",
            paramLabel = "KIND",
            description = "A kind of jobs; may be repeated. A * at the end matches all that start with the rest.")
    private final List<String> kinds = new ArrayList<>();

    @Option(
            names = "--executor",
            paramLabel = "NAME",
            description = "An executor name for leases and beats; as --kind.")
    private final List<String> executors = new ArrayList<>();

    @Option(names = "--domain", paramLabel = "DOMAIN", description = "An event domain; as --kind.")
    private final List<String> domains = new ArrayList<>();

    GrantNames names() {
        return new GrantNames(kinds, executors, domains);
    }
}
