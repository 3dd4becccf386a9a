package dev.oneroof.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.await.Await;
import dev.oneroof.testkit.fault.JavaProcess;
import dev.oneroof.testkit.server.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server as a process: a worker that is a row, health, metrics, drain. */
@OneRoofTest
class UpCommandTest {
    private static final Duration SLOW = Duration.ofMinutes(3);
    private static final Pattern HTTP = Pattern.compile("\"http\":\"([^\"]+)\"");

    @TempDir
    private Path folder;

    @OnEveryServer
    void tailsATableIntoAnotherExactlyOnceAndDrains(TestDatabase database) throws Exception {
        Oneroof command = new Oneroof(folder).on(database);
        database.run(
                "CREATE TABLE public.parcel (id bigserial PRIMARY KEY, at timestamptz NOT NULL DEFAULT now(), code text)");
        database.run("CREATE INDEX ON public.parcel (at, id)");
        database.run("CREATE TABLE public.bill (code text)");
        database.run("GRANT SELECT ON public.parcel TO oneroof_server");
        Path sql = Files.writeString(
                folder.resolve("bill.sql"), "-- one bill each\nINSERT INTO public.bill SELECT code FROM page;\n");
        expect(command.run("source", "add", "parcels", "--table", "parcel", "--id", "id", "--ts", "at"), 0);
        Oneroof.Answer refused = add(command, sql);
        expect(refused, 6);
        assertThat(refused.err()).contains("GRANT SELECT, INSERT ON public.bill TO \"oneroof_server\"");
        database.run("GRANT SELECT, INSERT ON public.bill TO oneroof_server");
        expect(add(command, sql), 0);

        try (JavaProcess first = command.start("up", "--port", "0", "--json");
                JavaProcess second = command.start("up", "--port", "0", "--json", "--instance", "second")) {
            String http = http(first);
            http(second);
            insert(database, 500);
            awaitBills(database, 500);
            assertThat(get(http + "health/live").statusCode()).isEqualTo(200);
            assertThat(get(http + "health/started").statusCode()).isEqualTo(200);
            assertThat(get(http + "health/ready").body()).isEqualTo("ready");
            Await.patiently()
                    .until(
                            // A scope that one instance hands over to the other is held for a moment.
                            "a pipeline that is well",
                            () -> get(http + "health/pipeline").body().contains("\"verdict\":\"all is well"));
            HttpResponse<String> pipeline = get(http + "health/pipeline");
            assertThat(pipeline.statusCode()).isEqualTo(200);
            assertThat(pipeline.body()).contains("biller/parcels/0");
            assertThat(get(http + "metrics").body())
                    .contains(
                            "oneroof_worker_state{",
                            "oneroof_cursor_lag_seconds{",
                            "oneroof_build_info{",
                            "oneroof_dead_letters{");
            HttpResponse<String> page = get(http);
            assertThat(page.body()).contains("<p id=\"verdict\" class=\"", "biller/parcels/0", "second");
            assertThat(page.headers().firstValue("Content-Security-Policy"))
                    .hasValueSatisfying(policy -> assertThat(policy).contains("default-src 'none'"));
            assertThat(get(http + "nothing").statusCode()).isEqualTo(404);
            expect(command.run("status"), 0);

            expect(command.run("worker", "pause", "biller/parcels", "--reason", "a test"), 0);
            Await.patiently()
                    .until("held", () -> get(http + "health/pipeline").body().contains("paused by"));
            insert(database, 10);
            expect(command.run("worker", "resume", "biller/parcels", "--reason", "a test"), 0);
            awaitBills(database, 510);

            first.terminate();
            assertThat(first.awaitExit(SLOW)).isZero();
            assertThat(first.err().whole()).contains("draining", "stopped");
            insert(database, 10);
            awaitBills(database, 520);
            second.terminate();
            assertThat(second.awaitExit(SLOW)).isZero();
        }
        assertThat(database.value(Long.class, "SELECT count(DISTINCT code) FROM public.bill"))
                .isEqualTo(520);
    }

    @Test
    void refusesASchemaThatIsNotThereAndAnAddressThatIsNotLoopback(TestDatabase database) {
        Oneroof command = new Oneroof(folder).on(database);
        Oneroof.Answer absent = command.run("up", "--schema", "elsewhere");
        expect(absent, 4);
        assertThat(absent.err()).contains("oneroof db migrate");
        Oneroof.Answer open = command.with("ONEROOF_HTTP_HOST", "0.0.0.0").run("up");
        expect(open, 2);
        assertThat(open.err()).contains("http.host: '0.0.0.0'", "loopback");
        expect(command.with("ONEROOF_LOG_FORMAT", "xml").run("up"), 2);
    }

    @Test
    void writesAConfigurationFileThatChangesNothing(TestDatabase database) throws IOException {
        Oneroof command = new Oneroof(folder).on(database);
        Path file = folder.resolve("oneroof.yaml");
        expect(command.run("init", file.toString()), 0);
        assertThat(Files.readString(file)).contains("#db:", "#  pool_size: 10", "#http:", "#  port: 7070");
        expect(command.run("status", "--config", file.toString()), 0);
        expect(command.run("init", file.toString()), 5);
    }

    private static Oneroof.Answer add(Oneroof command, Path sql) {
        return command.run(
                "worker",
                "add",
                "biller",
                "--source",
                "parcels",
                "--reading",
                "code",
                "--sql",
                sql.toString(),
                "--reason",
                "a test");
    }

    private static void expect(Oneroof.Answer answer, int exit) {
        assertThat(answer.exit()).as(answer.err() + answer.out()).isEqualTo(exit);
    }

    private static String http(JavaProcess server) {
        Matcher ready = HTTP.matcher(server.out().await(line -> line.contains("\"http\""), SLOW));
        assertThat(ready.find()).isTrue();
        return ready.group(1);
    }

    private static HttpResponse<String> get(String address) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                    HttpRequest.newBuilder(URI.create(address)).build(), HttpResponse.BodyHandlers.ofString());
        }
    }

    private static void insert(TestDatabase database, int rows) {
        database.run(
                "INSERT INTO public.parcel (code) SELECT gen_random_uuid()::text FROM generate_series(1, ?)", rows);
    }

    private static void awaitBills(TestDatabase database, long expected) {
        Await.upTo(SLOW)
                .until(
                        expected + " bills",
                        () -> database.value(Long.class, "SELECT count(*) FROM public.bill") >= expected);
        assertThat(database.value(Long.class, "SELECT count(*) FROM public.bill"))
                .isEqualTo(expected);
    }
}
