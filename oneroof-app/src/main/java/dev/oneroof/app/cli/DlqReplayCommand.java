package dev.oneroof.app.cli;

import dev.oneroof.core.operator.OperatorAct;
import dev.oneroof.core.tabletail.DeadLetters;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "replay", description = "Has dead letters tried again, from their first attempt on.")
final class DlqReplayCommand implements Callable<Integer> {
    record Answer(long replayed) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @ArgGroup(multiplicity = "1", exclusive = true)
    @SuppressWarnings("NullAway.Init")
    private Which which;

    static final class Which {
        @Parameters(
                paramLabel = "ID",
                arity = "0..1",
                converter = Numbers.DeadLetterId.class,
                description = "One of them.")
        private @Nullable Long id;

        @Option(names = "--source", paramLabel = "NAME", description = "All of this source.")
        private @Nullable String source;
    }

    @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "Why; it is kept with the act.")
    @SuppressWarnings("NullAway.Init")
    private String reason;

    @Option(names = "--yes", description = "Do not ask.")
    private boolean yes;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        return OperatorAccess.inDatabase(options, db -> {
            DeadLetters letters = new DeadLetters(db);
            OperatorAct by = new OperatorAct(OperatorAccess.actor(), reason);
            long replayed = 1;
            if (which.source != null) {
                if (!yes) {
                    Confirmation.atTheTerminal()
                            .demand("have all dead letters of '%s' tried again?".formatted(which.source));
                }
                replayed = letters.replayAll(which.source, by);
            } else if (which.id != null) {
                letters.replay(which.id, by);
            }
            Console.say("to be tried again: %d".formatted(replayed));
            if (json) {
                Console.printJson(new Answer(replayed));
            }
            return 0;
        });
    }
}
