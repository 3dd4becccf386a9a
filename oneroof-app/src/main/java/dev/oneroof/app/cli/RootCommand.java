package dev.oneroof.app.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

@Command(
        name = "oneroof",
        description = "Makes sure that nothing in a PostgreSQL registry is ever missed.",
        mixinStandardHelpOptions = true,
        scope = ScopeType.INHERIT,
        versionProvider = Version.class,
        subcommands = {
            UpCommand.class,
            InitCommand.class,
            DemoCommand.class,
            DbCommand.class,
            SourceCommand.class,
            CursorCommand.class,
            JobCommand.class,
            ScheduleCommand.class,
            ExecutorCommand.class,
            DlqCommand.class,
            GateCommand.class,
            WorkerCommand.class,
            InstanceCommand.class,
            StatusCommand.class,
            DoctorCommand.class,
            BenchCommand.class,
            VersionCommand.class,
            HelpCommand.class
        })
final class RootCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    private final Surroundings surroundings;

    RootCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    Surroundings surroundings() {
        return surroundings;
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "a command is missing: up, init, demo, db, source, worker, cursor, job, schedule, executor, dlq, gate, instance, status, doctor, bench or version");
    }
}
