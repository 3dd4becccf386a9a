package dev.oneroof.app.cli.cursor;

import dev.oneroof.app.cli.DatabaseOptions;
import dev.oneroof.app.cli.OperatorAccess;
import dev.oneroof.app.cli.Output;
import dev.oneroof.app.cli.ScopeConverter;
import dev.oneroof.core.lease.Scope;
import dev.oneroof.core.tail.Cursors;
import dev.oneroof.postgres.text.Counted;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "show",
        description =
                "Show head and settled position of a cursor, its lag, and the transactions that may hold it back.")
final class CursorShowCommand implements Callable<Integer> {
    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Parameters(paramLabel = "WORKER/SOURCE", converter = ScopeConverter.class, description = "The cursor.")
    @SuppressWarnings("NullAway.Init")
    private Scope scope;

    @Override
    public Integer call() {
        CursorAnswer.Full answer =
                OperatorAccess.inDatabase(options, db -> CursorAnswer.Full.of(new Cursors(db).show(scope)));
        output.answer(answer, () -> print(answer));
        return 0;
    }

    private void print(CursorAnswer.Full answer) {
        CursorAnswer position = answer.position();
        print("cursor", position.cursor());
        print("state", position.standing());
        print("head", position.head());
        print("settled", position.settled());
        print("behind", behind(answer));
        if (answer.notKnown() != null) {
            print("not known", answer.notKnown());
        }
        print("lag", seconds(answer.lagSeconds()));
        print("settled lag", seconds(answer.settledLagSeconds()));
        print("owner", answer.owner() == null ? "none" : answer.owner());
        print("doing", answer.doing());
        print("last beat", seconds(answer.beatAgeSeconds()));
        print(
                "counted",
                "%s, %s, %d waiting for retry, %s (%d open)"
                        .formatted(
                                Counted.of(position.rowsSeen(), "row"),
                                Counted.of(position.effectsWritten(), "effect"),
                                answer.waitingToBeTriedAgain(),
                                Counted.of(position.deadLettered(), "dead letter"),
                                answer.openDeadLetters()));
        answer.openTransactions().forEach(open -> print("open", open));
    }

    private static String behind(CursorAnswer.Full answer) {
        String rows =
                answer.rowsBehindCapped() ? answer.rowsBehind() + "+ rows" : Counted.of(answer.rowsBehind(), "row");
        return answer.notKnown() == null ? rows : rows + " known";
    }

    private void print(String what, @Nullable String value) {
        output.print("%-12s %s".formatted(what, value == null ? "-" : value));
    }

    private static @Nullable String seconds(@Nullable Double seconds) {
        return seconds == null ? null : "%.1f s".formatted(seconds);
    }
}
