package dev.oneroof.app.cli.finding;

import dev.oneroof.app.cli.DatabaseOptions;
import dev.oneroof.app.cli.OperatorAccess;
import dev.oneroof.app.cli.Output;
import dev.oneroof.core.operator.FindingView;
import dev.oneroof.core.operator.Findings;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "show", description = "Show one finding with its evidence.")
final class FindingShowCommand implements Callable<Integer> {
    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Parameters(paramLabel = "ID", description = "The finding's id; 'oneroof finding list' has them.")
    private long id;

    @Override
    public Integer call() {
        FindingView finding = OperatorAccess.inDatabase(options, db -> new Findings(db).show(id));
        output.answer(finding, () -> print(finding));
        return 0;
    }

    private void print(FindingView finding) {
        output.print("finding     %d, %s of %s".formatted(finding.id(), finding.type(), finding.key()));
        output.print("status      %s%s"
                .formatted(
                        finding.status().name().toLowerCase(Locale.ROOT),
                        finding.mutedUntil() == null ? "" : " until " + finding.mutedUntil()));
        output.print("severity    " + finding.severity().name().toLowerCase(Locale.ROOT));
        output.print("summary     " + finding.summary());
        output.print("route       %s, bucket %s".formatted(finding.route(), finding.bucket()));
        output.print("seen        %d times, first %s, last %s"
                .formatted(finding.count(), finding.firstSeenAt(), finding.lastSeenAt()));
        if (finding.resolvedAt() != null) {
            output.print("resolved    " + finding.resolvedAt());
        }
        output.print("evidence    " + finding.evidence());
    }
}
