package dev.oneroof.bench.jobspeed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.bench.BenchResult;
import dev.oneroof.bench.Figure;
import dev.oneroof.bench.Sites;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The bench over few jobs. How fast they are is not judged. */
@OneRoofTest
class JobsBenchTest {
    private static final int JOBS = 500;

    @Test
    void drainsAllAndLeavesNothingBehind(TestDatabase database) throws Exception {
        BenchResult result = ran(database, EnumSet.allOf(JobsConfig.Part.class));

        assertThat(result.figures())
                .hasSize(6)
                .allSatisfy(figure ->
                        assertThat(figure.measured()).as(figure.name()).isNotNaN());
        assertThat(missing(result).holds()).isTrue();
        assertThat(
                        database.value(
                                Long.class,
                                "SELECT (SELECT count(*) FROM oneroof.job_queue) + (SELECT count(*) FROM oneroof.job_history) + (SELECT count(*) FROM oneroof.job_kind)"))
                .isZero();
    }

    /** One job of each drain ends badly; the rate is as good as ever. */
    @Test
    void doesNotHoldWhereAJobDidNotEndWell(TestDatabase database) throws Exception {
        database.run("""
                CREATE FUNCTION public.spoil() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    NEW.state := CASE WHEN NEW.payload = '{"no": 7}' THEN 'failed' ELSE NEW.state END;
                    RETURN NEW;
                END $$
                """);
        database.run("CREATE TRIGGER spoil BEFORE INSERT ON oneroof.job_history"
                + " FOR EACH ROW EXECUTE FUNCTION public.spoil()");

        BenchResult result = ran(database, Set.of(JobsConfig.Part.DRAIN));

        assertThat(missing(result).measured())
                .as("five to warm up, and one round")
                .isEqualTo(6);
        assertThat(result.holds()).isFalse();
    }

    private static BenchResult ran(TestDatabase database, Set<JobsConfig.Part> parts) throws Exception {
        return new JobsBench(new JobsConfig(JOBS, 1, 100, JOBS, 100, parts)).run(Sites.of(database));
    }

    private static Figure missing(BenchResult result) {
        return result.figures().stream()
                .filter(figure -> figure.name().equals("jobs that did not end well"))
                .findFirst()
                .orElseThrow();
    }
}
