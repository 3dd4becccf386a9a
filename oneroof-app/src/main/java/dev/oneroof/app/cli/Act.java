package dev.oneroof.app.cli;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.postgres.Database;
import java.util.function.BiFunction;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What every act of an operator takes, beside that on which it is done. */
final class Act {
    /**
     * What was done.
     *
     * @param said in a line, for whoever reads
     * @param answer as an object, for a program
     */
    record Done(String said, Object answer) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "Why; it is kept with the act.")
    @SuppressWarnings("NullAway.Init")
    private String reason;

    Output output() {
        return output;
    }

    /** Does it and tells of it. */
    int perform(BiFunction<Database, OperatorAct, Done> act) {
        return inDatabase((db, by) -> {
            Done done = act.apply(db, by);
            output.report(done.said(), done.answer());
            return 0;
        });
    }

    /** A reason that cannot stand is refused before the database is looked for. */
    <R> R inDatabase(BiFunction<Database, OperatorAct, R> act) {
        OperatorAct by = new OperatorAct(OperatorAccess.actor(), reason);
        return OperatorAccess.inDatabase(options, db -> act.apply(db, by));
    }
}
