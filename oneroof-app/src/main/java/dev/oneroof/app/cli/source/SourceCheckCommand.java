package dev.oneroof.app.cli.source;

import dev.oneroof.app.cli.DatabaseOptions;
import dev.oneroof.app.cli.OperatorAccess;
import dev.oneroof.app.cli.Output;
import dev.oneroof.core.tail.Sources;
import dev.oneroof.core.tail.source.SourceCheck;
import dev.oneroof.core.tail.source.TailSource;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "check",
        description = "Check whether a source, or every source, is still as it was registered.",
        footer = {"", "Exit code 3: something no longer holds."})
final class SourceCheckCommand implements Callable<Integer> {
    private static final int DOES_NOT_HOLD = 3;

    record Answer(boolean holds, List<SourceCheck> sources) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Parameters(paramLabel = "NAME", arity = "0..1", description = "The source's name; without it, all of them.")
    private @Nullable String name;

    @Override
    public Integer call() {
        return OperatorAccess.inDatabase(options, db -> {
            Sources sources = new Sources(db);
            List<String> names = name != null
                    ? List.of(name)
                    : sources.list().stream().map(TailSource::name).toList();
            List<SourceCheck> checks = names.stream().map(sources::check).toList();
            Answer answer = new Answer(checks.stream().allMatch(SourceCheck::holds), checks);
            output.answer(answer, () -> print(answer));
            return answer.holds() ? 0 : DOES_NOT_HOLD;
        });
    }

    private void print(Answer answer) {
        for (SourceCheck check : answer.sources()) {
            output.print("%-5s %s".formatted(check.holds() ? "ok" : "FAIL", check.source()));
            check.broken().forEach(broken -> output.print("      " + broken));
            check.warnings().forEach(warning -> output.print("      warning: " + warning));
        }
    }
}
