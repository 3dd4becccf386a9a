package dev.oneroof.app.cli.finding;

import dev.oneroof.app.cli.Columns;
import dev.oneroof.app.cli.DatabaseOptions;
import dev.oneroof.app.cli.OperatorAccess;
import dev.oneroof.app.cli.Output;
import dev.oneroof.core.operator.FindingView;
import dev.oneroof.core.operator.Findings;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "list", description = "List the findings that are not resolved, the worst first.")
final class FindingListCommand implements Callable<Integer> {
    private static final Columns<FindingView> COLUMNS = new Columns<FindingView>()
            .with("ID", FindingView::id)
            .with("SEVERITY", finding -> finding.severity().name().toLowerCase(Locale.ROOT))
            .with("STATUS", finding -> finding.status().name().toLowerCase(Locale.ROOT))
            .with("TYPE", FindingView::type)
            .with("OF", FindingView::key)
            .with("COUNT", FindingView::count)
            .with("FIRST SEEN", FindingView::firstSeenAt)
            .with("SUMMARY", FindingView::summary);

    record Answer(List<FindingView> findings, boolean capped) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Option(names = "--resolved", description = "List the resolved ones instead, the latest first.")
    private boolean resolved;

    @Override
    public Integer call() {
        List<FindingView> findings = OperatorAccess.inDatabase(options, db -> {
            Findings all = new Findings(db);
            return resolved ? all.resolved() : all.open();
        });
        boolean capped = findings.size() == Findings.MOST;
        output.list(new Answer(findings, capped), findings, COLUMNS, "there is no finding");
        if (capped) {
            output.say("only the first %d are listed".formatted(Findings.MOST));
        }
        return 0;
    }
}
