package dev.oneroof.app.cli.cursor;

import dev.oneroof.app.cli.Columns;
import dev.oneroof.app.cli.DatabaseOptions;
import dev.oneroof.app.cli.OperatorAccess;
import dev.oneroof.app.cli.Output;
import dev.oneroof.core.tail.Cursors;
import dev.oneroof.core.tail.Sources;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "list", description = "List the cursors and their positions.")
final class CursorListCommand implements Callable<Integer> {
    private static final Columns<CursorAnswer> COLUMNS = new Columns<CursorAnswer>()
            .with("CURSOR", CursorAnswer::cursor)
            .with("ROWS", CursorAnswer::rowsSeen)
            .with("DEAD", CursorAnswer::deadLettered)
            .with("HEAD", CursorAnswer::head)
            .with("SETTLED", CursorAnswer::settled)
            .with("STATE", CursorAnswer::standing)
            .with("NOT KNOWN", CursorAnswer::notKnown);

    record Answer(List<CursorAnswer> cursors) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Override
    public Integer call() {
        List<CursorAnswer> cursors = OperatorAccess.inDatabase(options, db -> {
            Map<String, String> notKnown = new Sources(db).notKnown();
            return new Cursors(db)
                    .list().stream()
                            .map(cursor -> CursorAnswer.of(
                                    cursor, notKnown.get(cursor.scope().source())))
                            .toList();
        });
        output.list(new Answer(cursors), cursors, COLUMNS, "there is no cursor: no worker has read a source yet");
        return 0;
    }
}
