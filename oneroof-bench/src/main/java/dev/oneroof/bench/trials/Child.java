package dev.oneroof.bench.trials;

import dev.oneroof.bench.BenchSite;
import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.postgres.schema.RoleNames;
import dev.oneroof.postgres.schema.SchemaConfig;
import dev.oneroof.testkit.fault.JavaProcess;
import java.io.IOException;
import java.util.List;

/**
 * What a process of a trial is told by its command line: where it works, and whatever else. It ends when its input does, so
 * that nothing outlives a trial that was killed itself.
 */
record Child(BenchSite site, List<String> rest) {
    static final String READY = "ready";
    private static final String PASSWORD = "TRIAL_PASSWORD";
    private static final String NOBODY = "-";

    static JavaProcess start(Class<?> main, BenchSite site, List<String> rest) {
        String user = site.address().user();
        String password = site.address().password();
        JavaProcess.Launch launch = JavaProcess.of(main)
                .jvmOptions("-Xmx96m")
                .arguments(
                        site.address().jdbcUrl(),
                        user == null ? NOBODY : user,
                        site.schema().schema().value(),
                        // An empty argument is lost on some systems.
                        NOBODY + site.schema().roles().prefix())
                .arguments(rest.toArray(String[]::new));
        if (password != null) {
            launch.environment(PASSWORD, password);
        }
        return launch.start();
    }

    static Child of(String[] arguments) {
        List<String> given = List.of(arguments);
        DatabaseAddress address = DatabaseAddress.parse("address", given.getFirst());
        if (!given.get(1).equals(NOBODY)) {
            address = address.withUser(given.get(1));
        }
        String password = System.getenv(PASSWORD);
        if (password != null) {
            address = address.withPassword(password);
        }
        SchemaConfig schema = new SchemaConfig(
                new SchemaName(given.get(2)), new RoleNames(given.get(3).substring(NOBODY.length())));
        return new Child(new BenchSite(address, schema), given.subList(4, given.size()));
    }

    /** Says that it has started, and waits for the end. */
    void serve() throws IOException {
        System.out.println(READY);
        while (System.in.read() >= 0) {
            // Nothing is said on it; its end is the end.
        }
    }
}
