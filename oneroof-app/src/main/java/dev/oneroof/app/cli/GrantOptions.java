package dev.oneroof.app.cli;

import dev.oneroof.core.grant.GrantNames;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** What is granted or revoked. */
final class GrantOptions {
    @Option(
            names = "--kind",
            paramLabel = "KIND",
            description = "A kind of jobs; may be repeated. A * at the end stands for all that begin so.")
    private final List<String> kinds = new ArrayList<>();

    @Option(
            names = "--executor",
            paramLabel = "NAME",
            description = "The name under which it leases and beats; as --kind.")
    private final List<String> executors = new ArrayList<>();

    @Option(names = "--domain", paramLabel = "DOMAIN", description = "A domain of events; as --kind.")
    private final List<String> domains = new ArrayList<>();

    GrantNames names() {
        return new GrantNames(kinds, executors, domains);
    }
}
