package dev.oneroof.app.cli.source;

import dev.oneroof.app.cli.Columns;
import dev.oneroof.app.cli.DatabaseOptions;
import dev.oneroof.app.cli.OperatorAccess;
import dev.oneroof.app.cli.Output;
import dev.oneroof.core.tail.Sources;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "list", description = "List the registered sources.")
final class SourceListCommand implements Callable<Integer> {
    private static final Columns<SourceAnswer> COLUMNS = new Columns<SourceAnswer>()
            .with("SOURCE", SourceAnswer::name)
            .with("TABLE", source -> source.schema() + "." + source.table())
            .with("ORDERED BY", SourceAnswer::key)
            .with("CONTRACT", SourceAnswer::contract)
            .with("MODE", SourceAnswer::mode);

    record Answer(List<SourceAnswer> sources) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Override
    public Integer call() {
        List<SourceAnswer> sources = OperatorAccess.inDatabase(
                options,
                db -> new Sources(db).list().stream().map(SourceAnswer::of).toList());
        output.list(new Answer(sources), sources, COLUMNS, "there is no source; 'oneroof source add' registers one");
        return 0;
    }
}
