package dev.oneroof.app.cli;

import dev.oneroof.app.cli.cursor.CursorCommand;
import dev.oneroof.app.cli.db.DbCommand;
import dev.oneroof.app.cli.dlq.DlqCommand;
import dev.oneroof.app.cli.executor.ExecutorCommand;
import dev.oneroof.app.cli.finding.FindingCommand;
import dev.oneroof.app.cli.gate.GateCommand;
import dev.oneroof.app.cli.instance.InstanceCommand;
import dev.oneroof.app.cli.job.JobCommand;
import dev.oneroof.app.cli.schedule.ScheduleCommand;
import dev.oneroof.app.cli.source.SourceCommand;
import dev.oneroof.app.cli.worker.WorkerCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

@Command(
        name = "oneroof",
        description = "Make sure that nothing in a PostgreSQL registry is ever missed.",
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
            FindingCommand.class,
            StatusCommand.class,
            DoctorCommand.class,
            VersionCommand.class,
            HelpCommand.class
        })
final class RootCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    private final CommandContext context;

    RootCommand(CommandContext context) {
        this.context = context;
    }

    CommandContext context() {
        return context;
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "missing command; use up, init, demo, db, source, worker, cursor, job, schedule, executor, dlq, gate, instance, finding, status, doctor, version or help");
    }
}
