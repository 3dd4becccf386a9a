package dev.oneroof.bench.trials;

import com.zaxxer.hikari.HikariDataSource;
import dev.oneroof.bench.BenchSite;
import dev.oneroof.core.OneRoof;
import dev.oneroof.core.RuntimeConfig;
import dev.oneroof.core.job.Job;
import dev.oneroof.core.job.Outcome;
import dev.oneroof.core.worker.LoopConfig;
import dev.oneroof.core.worker.Waiting;
import dev.oneroof.postgres.Connections;
import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.UserTx;
import dev.oneroof.testkit.fault.JavaProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * One OneRoof that does the jobs of a trial, in a process of its own. Its handlers take their time after their effect, so that a
 * blow at any moment meets some between their effect and their end. A few do not end well at once: so a process that was
 * frozen has a failure and a snooze to tell, too, when it goes on.
 */
record JobInstance(BenchSite site, String trial, Duration lease) {
    private static final int IN_TX_AT_ONCE = 4;
    private static final int OUTSIDE_AT_ONCE = 8;
    private static final Duration LINGER = Duration.ofMillis(20);
    private static final int OTHER_ENDS_IN_A_HUNDRED = 4;

    JavaProcess startProcess(String name) {
        return Child.start(JobInstance.class, site, List.of(name, trial, Long.toString(lease.toMillis())));
    }

    public static void main(String[] arguments) throws IOException {
        Child child = Child.of(arguments);
        List<String> told = child.rest();
        JobInstance instance =
                new JobInstance(child.site(), told.get(1), Duration.ofMillis(Long.parseLong(told.get(2))));
        String role = child.site().schema().roles().server();
        try (HikariDataSource pool = Connections.pool(
                        child.site().address(),
                        "trial",
                        role,
                        IN_TX_AT_ONCE + 6,
                        instance.lease().multipliedBy(2).dividedBy(3));
                HikariDataSource outside =
                        Connections.pool(child.site().address(), "trial effects", role, OUTSIDE_AT_ONCE / 2 + 1);
                OneRoof oneroof = instance.open(told.getFirst(), pool, outside)) {
            oneroof.start();
            Database effects = new Database(outside, child.site().schema().schema());
            Pulse pulse = new Pulse(new JobTables(instance.trial()), effects, told.getFirst(), instance.lease());
            Thread.ofPlatform().daemon().name("trial-pulse").start(pulse::run);
            child.serve();
        }
    }

    private OneRoof open(String name, HikariDataSource pool, HikariDataSource outside) {
        RuntimeConfig config = RuntimeConfig.named(name)
                .withSchema(site.schema().schema())
                .withLoop(new LoopConfig(lease, lease.dividedBy(4), Duration.ofMillis(50), Duration.ofSeconds(1)));
        OneRoof oneroof = OneRoof.open(config, pool);
        Handlers handlers = new Handlers(
                name, new JobTables(trial), new Database(outside, site.schema().schema()));
        oneroof.work(JobTables.kind(JobTables.IN_TX, lease))
                .atOnce(IN_TX_AT_ONCE)
                .eachInTx(handlers::inTx);
        oneroof.work(JobTables.kind(JobTables.OUTSIDE, lease))
                .atOnce(OUTSIDE_AT_ONCE)
                .each(handlers::outside);
        oneroof.work(JobTables.kind(JobTables.SINGLE, lease)).atOnce(1).each(handlers::single);
        return oneroof;
    }

    private record Handlers(String process, JobTables tables, Database outside) {
        /** What it has written goes with a failure, and with a snooze. */
        Outcome inTx(UserTx tx, Job job) {
            Outcome outcome = drawn();
            tables.note(tx, job, process);
            linger();
            return outcome;
        }

        /** Written once in every attempt that ends well, and in no other: what is there twice was crashed. */
        Outcome outside(Job job) {
            Outcome outcome = drawn();
            if (outcome instanceof Outcome.Done) {
                outside.useTx(tx -> tables.note(tx.asWritten(), job, process));
            }
            linger();
            return outcome;
        }

        Outcome single(Job job) {
            outside.useTx(tx -> tables.mark(tx.asWritten(), job, process, "begun"));
            linger();
            outside.useTx(tx -> tables.mark(tx.asWritten(), job, process, "ended"));
            return Outcome.done();
        }

        private static Outcome drawn() {
            int chance = ThreadLocalRandom.current().nextInt(100);
            if (chance >= OTHER_ENDS_IN_A_HUNDRED) {
                return Outcome.done();
            }
            return chance % 2 == 0
                    ? Outcome.retryIn(Duration.ofMillis(chance), "by chance")
                    : Outcome.snooze(Duration.ofMillis(chance));
        }

        private static void linger() {
            new Waiting().pause(Duration.ofNanos(ThreadLocalRandom.current().nextLong(LINGER.toNanos())));
        }
    }
}
