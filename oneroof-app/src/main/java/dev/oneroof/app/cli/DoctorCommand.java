package dev.oneroof.app.cli;

import dev.oneroof.app.config.AppConfig;
import dev.oneroof.app.connect.Access;
import dev.oneroof.app.connect.OpenDatabase;
import dev.oneroof.app.doctor.Doctor;
import dev.oneroof.app.host.Features;
import dev.oneroof.core.feature.CheckResult;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "doctor",
        description = "Check the whole installation: each problem with its evidence and how to fix it.",
        footer = {"", "Exit code 3: a check failed. Warnings alone give 0."})
final class DoctorCommand implements Callable<Integer> {
    private static final int UNHEALTHY = 3;

    record Answer(boolean healthy, List<CheckResult> checks) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Override
    public Integer call() {
        AppConfig config = options.load();
        try (OpenDatabase database = OpenDatabase.open(config, Access.LOOK)) {
            List<CheckResult> checks = new Doctor(config, database.address(), Features.all()).examine();
            Answer answer = new Answer(checks.stream().noneMatch(one -> one.level() == CheckResult.Level.FAIL), checks);
            output.answer(answer, () -> print(answer));
            return answer.healthy() ? 0 : UNHEALTHY;
        }
    }

    private void print(Answer answer) {
        for (CheckResult one : answer.checks()) {
            output.print("%-4s  %-17s  %s".formatted(one.level(), one.check(), one.evidence()));
            if (one.fix() != null) {
                output.print("%25s%s".formatted("-> ", one.fix()));
            }
        }
    }
}
