package dev.oneroof.app.cli;

import dev.oneroof.core.act.OperatorAct;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.schema.RoleNames;
import java.util.function.BiFunction;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of every act of an operator: database, output and reason. */
public final class ActOptions {
    /**
     * What an act did.
     *
     * @param message one line for people
     * @param answer the object for programs
     */
    public record Result(String message, Object answer) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Option(
            names = "--reason",
            required = true,
            paramLabel = "TEXT",
            description = "The reason; recorded with the act.")
    @SuppressWarnings("NullAway.Init")
    private String reason;

    public Output output() {
        return output;
    }

    /** Performs the act and reports its result. */
    public int perform(BiFunction<Database, OperatorAct, Result> act) {
        return inDatabase((db, by) -> {
            Result result = act.apply(db, by);
            output.report(result.message(), result.answer());
            return 0;
        });
    }

    /** As {@link #perform}, for an act that sets a role: its names are in the configuration. */
    public int performWithRoles(RoleAct act) {
        OperatorAct by = new OperatorAct(OperatorAccess.actor(), reason);
        return OperatorAccess.inDatabase(options, (config, db) -> {
            Result result = act.perform(db, config.schema().roles(), by);
            output.report(result.message(), result.answer());
            return 0;
        });
    }

    /** An act that needs a role of its own. */
    public interface RoleAct {
        Result perform(Database db, RoleNames roles, OperatorAct by);
    }

    /** Refuses an invalid reason before it connects to the database. */
    public <R> R inDatabase(BiFunction<Database, OperatorAct, R> act) {
        OperatorAct by = new OperatorAct(OperatorAccess.actor(), reason);
        return OperatorAccess.inDatabase(options, db -> act.apply(db, by));
    }
}
