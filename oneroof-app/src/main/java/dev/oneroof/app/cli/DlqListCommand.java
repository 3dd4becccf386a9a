package dev.oneroof.app.cli;

import dev.oneroof.core.tabletail.DeadLetters;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "list", description = "Lists the open dead letters, oldest first.")
final class DlqListCommand implements Callable<Integer> {
    record Answer(List<DlqAnswer> deadLetters, boolean more) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Option(names = "--source", paramLabel = "NAME", description = "Of this source only.")
    private @Nullable String source;

    @Option(
            names = "--after",
            paramLabel = "ID",
            defaultValue = "0",
            converter = Numbers.DeadLetterId.class,
            description = "Behind this one: the next page.")
    private long after;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "100",
            converter = Numbers.PageSize.class,
            description = "At most so many; without it 100.")
    private long limit;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        return OperatorAccess.inDatabase(options, db -> {
            int wanted = Math.toIntExact(limit);
            List<DlqAnswer> found = new DeadLetters(db)
                    .list(source, after, wanted + 1).stream().map(DlqAnswer::of).toList();
            report(new Answer(found.subList(0, Math.min(wanted, found.size())), found.size() > wanted));
            return 0;
        });
    }

    private void report(Answer answer) {
        if (json) {
            Console.printJson(answer);
            return;
        }
        Columns.print(
                List.of("ID", "CURSOR", "KEY", "TRIES", "STATE", "ERROR"),
                answer.deadLetters().stream()
                        .map(letter -> List.of(
                                Long.toString(letter.id()),
                                letter.cursor(),
                                letter.key(),
                                Integer.toString(letter.attempts()),
                                letter.sqlState() == null ? "-" : letter.sqlState(),
                                letter.error() == null ? "-" : letter.error()))
                        .toList());
        if (answer.more()) {
            Console.say("there are more; --after %d shows them"
                    .formatted(answer.deadLetters().getLast().id()));
        }
    }
}
