package dev.oneroof.app.cli;

import dev.oneroof.core.tabletail.Cursors;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "list", description = "Lists the cursors, and where they are.")
final class CursorListCommand implements Callable<Integer> {
    record Answer(List<CursorAnswer> cursors) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        return OperatorAccess.inDatabase(options, db -> {
            report(new Answer(
                    new Cursors(db).list().stream().map(CursorAnswer::of).toList()));
            return 0;
        });
    }

    private void report(Answer answer) {
        if (json) {
            Console.printJson(answer);
            return;
        }
        Columns.print(
                List.of("CURSOR", "ROWS", "DEAD", "HEAD", "SETTLED", "STANDING"),
                answer.cursors().stream()
                        .map(cursor -> List.of(
                                cursor.cursor(),
                                Long.toString(cursor.rowsSeen()),
                                Long.toString(cursor.deadLettered()),
                                cursor.head() == null ? "-" : cursor.head(),
                                cursor.settled() == null ? "-" : cursor.settled(),
                                cursor.standing()))
                        .toList());
    }
}
