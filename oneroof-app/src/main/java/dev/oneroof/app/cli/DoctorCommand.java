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
import picocli.CommandLine.Option;

@Command(
        name = "doctor",
        description = "Looks over the whole installation: what is amiss, by what evidence, and what mends it.",
        footer = {"", "Exit code 3: a check failed. Warnings alone are 0."})
final class DoctorCommand implements Callable<Integer> {
    private static final int UNHEALTHY = 3;

    record Answer(boolean healthy, List<Checked> checks) {}

    @Mixin
    private final DatabaseOptions options = new DatabaseOptions();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        AppConfig config = options.load();
        try (OpenDatabase database = OpenDatabase.open(config, Access.LOOK)) {
            List<Checked> checks = new Doctor(config, database.address()).examine();
            Answer answer = new Answer(checks.stream().noneMatch(one -> one.level() == Checked.Level.FAIL), checks);
            report(answer);
            return answer.healthy() ? 0 : UNHEALTHY;
        }
    }

    private void report(Answer answer) {
        if (json) {
            Console.printJson(answer);
            return;
        }
        for (Checked one : answer.checks()) {
            Console.print("%-4s  %-17s  %s".formatted(one.level(), one.check(), one.evidence()));
            if (one.mend() != null) {
                Console.print("%25s%s".formatted("-> ", one.mend()));
            }
        }
    }
}
