package dev.oneroof.app.cli.executor;

import dev.oneroof.app.cli.Columns;
import dev.oneroof.app.cli.DatabaseOptions;
import dev.oneroof.app.cli.OperatorAccess;
import dev.oneroof.app.cli.Output;
import dev.oneroof.core.grant.ExecutorGrant;
import dev.oneroof.core.grant.ExecutorGrants;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "list", description = "List the grants of executors, who gave them and why.")
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

    @Parameters(arity = "0..1", paramLabel = "LOGIN", description = "Only this login.")
    private @Nullable String login;

    @Override
    public Integer call() {
        String only = login;
        List<ExecutorGrant> grants = OperatorAccess.inDatabase(options, db -> {
            ExecutorGrants all = new ExecutorGrants(db);
            return only == null ? all.list() : all.list(only);
        });
        output.list(new Answer(grants), grants, COLUMNS, "nothing is granted; 'oneroof executor grant' adds a grant");
        return 0;
    }
}
