package dev.oneroof.app.host;

import dev.oneroof.app.config.AppConfig;
import dev.oneroof.app.connect.OpenDatabase;
import dev.oneroof.app.http.HttpServer;
import dev.oneroof.app.http.Metrics;
import dev.oneroof.app.http.Pipeline;
import dev.oneroof.core.feature.Feature;
import java.util.List;

/** A host that is started and answers over HTTP. Closing it drains the host first: until then it answers that it drains. */
public final class Server implements AutoCloseable {
    private final Host host;
    private final HttpServer http;
    private final Pipeline pipeline;

    private Server(Host host, HttpServer http, Pipeline pipeline) {
        this.host = host;
        this.http = http;
        this.pipeline = pipeline;
    }

    public static Server start(
            AppConfig config, OpenDatabase database, String instance, List<Feature> features, String version) {
        Host host = Host.open(config, database, instance, features);
        try {
            return start(config.server(), host, instance, version);
        } catch (RuntimeException e) {
            host.close();
            throw e;
        }
    }

    /** As {@link #start(AppConfig, OpenDatabase, String, List, String)}, over a host that may have more to run. */
    public static Server start(AppConfig.Server config, Host host, String instance, String version) {
        Pipeline pipeline = new Pipeline(instance, host.database(), System::nanoTime);
        Metrics metrics = new Metrics(pipeline, version);
        HttpServer http = HttpServer.start(config.httpHost(), config.httpPort(), pipeline, metrics);
        try {
            host.runtime().observedBy(metrics).start();
            pipeline.started();
            return new Server(host, http, pipeline);
        } catch (RuntimeException e) {
            http.close();
            throw e;
        }
    }

    /** Where the status page is. */
    public String address() {
        return http.address();
    }

    @Override
    public void close() {
        pipeline.stopping();
        try {
            host.close();
        } finally {
            http.close();
        }
    }
}
