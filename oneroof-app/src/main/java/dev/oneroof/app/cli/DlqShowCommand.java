package dev.oneroof.app.cli;

import dev.oneroof.core.tabletail.DeadLetters;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "show", description = "Shows a dead letter: where the row is, and what it met.")
final class DlqShowCommand implements Callable<Integer> {
    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Parameters(paramLabel = "ID", converter = Numbers.DeadLetterId.class, description = "Its number.")
    private long id;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        return OperatorAccess.inDatabase(options, db -> {
            DlqAnswer letter = DlqAnswer.of(new DeadLetters(db).show(id));
            if (json) {
                Console.printJson(letter);
                return 0;
            }
            print("id", Long.toString(letter.id()));
            print("cursor", letter.cursor());
            print("table", letter.table());
            print("key", letter.key());
            print("tries", Integer.toString(letter.attempts()));
            print("state", letter.sqlState());
            print("error", letter.error());
            print("fingerprint", letter.fingerprint());
            print("since", letter.since());
            print("triage", letter.triage());
            return 0;
        });
    }

    private static void print(String what, @Nullable String value) {
        Console.print("%-12s %s".formatted(what, value == null ? "-" : value));
    }
}
