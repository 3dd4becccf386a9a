package dev.oneroof.app.cli;

import dev.oneroof.app.config.AppConfig;
import dev.oneroof.app.connect.Access;
import dev.oneroof.app.connect.OpenDatabase;
import dev.oneroof.app.doctor.Checked;
import dev.oneroof.app.doctor.Doctor;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "doctor",
        description = "Looks over the whole installation: what is amiss, by what evidence, and what mends it.",
        footer = {"", "Exit code 3: a check failed. Warnings alone are 0."})
final class DoctorCommand implements Callable<Integer> {
    private static final int UNHEALTHY = 3;

    record Answer(boolean healthy, List<Checked> checks) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Mixin
    private final Output output = new Output();

    @Override
    public Integer call() {
        AppConfig config = options.load();
        try (OpenDatabase database = OpenDatabase.open(config, Access.LOOK)) {
            List<Checked> checks = new Doctor(config, database.address()).examine();
            Answer answer = new Answer(checks.stream().noneMatch(one -> one.level() == Checked.Level.FAIL), checks);
            output.answer(answer, () -> print(answer));
            return answer.healthy() ? 0 : UNHEALTHY;
        }
    }

    private void print(Answer answer) {
        for (Checked one : answer.checks()) {
            output.print("%-4s  %-17s  %s".formatted(one.level(), one.check(), one.evidence()));
            if (one.mend() != null) {
                output.print("%25s%s".formatted("-> ", one.mend()));
            }
        }
    }
}
