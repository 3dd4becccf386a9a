package dev.oneroof.bench.wakeup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.bench.BenchResult;
import dev.oneroof.bench.Sites;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import org.junit.jupiter.api.Test;

/** The bench over few jobs. How soon they begin is not judged. */
@OneRoofTest
class PickupBenchTest {
    @Test
    void warmsTheReferenceUpLikeTheWorker(TestDatabase database) throws Exception {
        database.run("CREATE TABLE public.seen (no integer)");
        database.run("""
                CREATE FUNCTION public.see() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
                BEGIN
                    INSERT INTO public.seen VALUES ((NEW.payload ->> 'no')::integer);
                    RETURN NEW;
                END $$
                """);
        database.run(
                "CREATE TRIGGER see BEFORE INSERT ON oneroof.job_queue FOR EACH ROW EXECUTE FUNCTION public.see()");

        BenchResult result = new PickupBench(new PickupConfig(1, 2, 20)).run(Sites.of(database));

        assertThat(result.figures().getFirst().holds())
                .as("all of them have come")
                .isTrue();
        assertThat(database.value(Long.class, "SELECT count(*) FROM public.seen WHERE no >= 2"))
                .as("twenty of the worker, and ten for each of the bare loops")
                .isEqualTo(40);
    }
}
