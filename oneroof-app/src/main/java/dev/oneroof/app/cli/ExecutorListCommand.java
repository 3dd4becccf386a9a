package dev.oneroof.app.cli;

import dev.oneroof.core.grant.ExecutorGrant;
import dev.oneroof.core.grant.ExecutorGrants;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "list", description = "Lists what is granted to executors, by whom and why.")
final class ExecutorListCommand implements Callable<Integer> {
    private static final Columns<ExecutorGrant> COLUMNS = new Columns<ExecutorGrant>()
            .with("LOGIN", ExecutorGrant::login)
            .with("WHAT", ExecutorGrant::subject)
            .with("NAME", ExecutorGrant::name)
            .with("STATE", ExecutorGrant::state)
            .with("BY", ExecutorGrant::actor)
            .with("SINCE", ExecutorGrant::grantedAt)
            .with("WHY", grant -> Columns.brief(grant.reason()));

    record Answer(List<ExecutorGrant> grants) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Parameters(arity = "0..1", paramLabel = "LOGIN", description = "Of this login alone.")
    private @Nullable String login;

    @Override
    public Integer call() {
        String only = login;
        List<ExecutorGrant> grants = OperatorAccess.inDatabase(options, db -> {
            ExecutorGrants all = new ExecutorGrants(db);
            return only == null ? all.list() : all.list(only);
        });
        output.list(new Answer(grants), grants, COLUMNS, "nothing is granted; 'oneroof executor grant' does it");
        return 0;
    }
}
