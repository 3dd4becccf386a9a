package dev.oneroof.app.http;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.postgres.error.Problem;
import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Set;

/**
 * Health, metrics and the status page, on a loopback address only: there are no users yet, so no other address may be
 * served. A request must also name a loopback host: a page from elsewhere could otherwise reach it under a name of its own.
 */
public final class HttpServer implements AutoCloseable {
    private static final Set<String> LOOPBACK_NAMES = Set.of("localhost", "127.0.0.1", "[::1]", "::1");
    private static final String CONTENT_SECURITY =
            "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private final Javalin javalin;
    private final String host;

    private HttpServer(Javalin javalin, String host) {
        this.javalin = javalin;
        this.host = host;
    }

    /**
     * Listens.
     *
     * @param port 0 takes a free one
     */
    public static HttpServer start(String host, int port, Pipeline pipeline, Metrics metrics) {
        demandLoopback(host);
        Javalin javalin = Javalin.create(config -> configure(config, host, port, pipeline, metrics));
        try {
            javalin.start();
        } catch (RuntimeException e) {
            throw new OneRoofException(
                    new Problem(
                            ErrorCode.PORT_IN_USE,
                            "http.port",
                            String.valueOf(port),
                            "a free port, or 0 for any",
                            "cannot be listened on at %s".formatted(host),
                            null),
                    e);
        }
        return new HttpServer(javalin, host);
    }

    private static void demandLoopback(String host) {
        try {
            if (InetAddress.getByName(host).isLoopbackAddress()) {
                return;
            }
        } catch (UnknownHostException e) {
            // reported below
        }
        throw new OneRoofException(Problem.notAllowed(
                "http.host",
                host,
                "a loopback address, such as 127.0.0.1: other addresses need users, which are not built"));
    }

    private static void configure(JavalinConfig config, String host, int port, Pipeline pipeline, Metrics metrics) {
        config.jetty.host = host;
        config.jetty.port = port;
        config.startup.showJavalinBanner = false;
        config.startup.showOldJavalinVersionWarning = false;
        config.http.defaultContentType = "text/plain; charset=utf-8";
        config.routes.before(HttpServer::guard);
        config.routes.get("/", context -> html(context, StatusPage.render(pipeline.snapshot())));
        config.routes.get(
                "/console.css",
                context -> context.contentType("text/css; charset=utf-8").result(resource("console.css")));
        config.routes.get("/health/live", context -> context.result("live"));
        config.routes.get("/health/started", context -> answer(context, pipeline.isStarted(), "started", "starting"));
        config.routes.get(
                "/health/ready", context -> answer(context, pipeline.isReady(), "ready", pipeline.notReadyReason()));
        config.routes.get("/health/pipeline", context -> pipeline(context, pipeline.snapshot()));
        config.routes.get(
                "/metrics", context -> context.contentType(Metrics.CONTENT_TYPE).result(metrics.scrape()));
        config.routes.exception(OneRoofException.class, (e, context) -> problem(context, e.problem()));
    }

    private static void guard(Context context) {
        context.header("Content-Security-Policy", CONTENT_SECURITY);
        context.header("X-Content-Type-Options", "nosniff");
        context.header("Referrer-Policy", "no-referrer");
        context.header("Cache-Control", "no-store");
        String named = context.header("Host");
        String name = named == null ? "" : named.replaceFirst(":\\d+$", "");
        if (!LOOPBACK_NAMES.contains(name)) {
            throw new OneRoofException(new Problem(
                    ErrorCode.PRIVILEGE_MISSING,
                    "Host",
                    name,
                    "localhost, 127.0.0.1 or [::1]",
                    "is not allowed",
                    null));
        }
    }

    private static void html(Context context, String page) {
        context.contentType("text/html; charset=utf-8").result(page);
    }

    private static void answer(Context context, boolean is, String yes, String no) {
        context.status(is ? 200 : 503).result(is ? yes : no);
    }

    private static void pipeline(Context context, Pipeline.Snapshot snapshot) {
        context.status(snapshot.isHealthy() ? 200 : 503)
                .contentType("application/json")
                .result(Json.write(PipelineAnswer.of(snapshot)));
    }

    /** As RFC 9457 has it. */
    private static void problem(Context context, Problem problem) {
        context.status(problem.code().httpStatus())
                .contentType("application/problem+json")
                .result(Json.write(ProblemAnswer.of(problem)));
    }

    private static String resource(String name) {
        try (InputStream content = Objects.requireNonNull(HttpServer.class.getResourceAsStream(name), name)) {
            return new String(content.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("cannot read " + name, e);
        }
    }

    public String address() {
        return "http://%s:%d/".formatted(host.contains(":") ? "[" + host + "]" : host, javalin.port());
    }

    @Override
    public void close() {
        javalin.stop();
    }
}
