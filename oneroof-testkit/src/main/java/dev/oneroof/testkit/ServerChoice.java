package dev.oneroof.testkit;

import dev.oneroof.testkit.server.OwnServer;
import dev.oneroof.testkit.server.PostgresVersion;
import dev.oneroof.testkit.server.TestServer;
import java.lang.annotation.Annotation;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Which server a test runs on.
 *
 * @param shared keeps the servers that tests share: one per version, from its first use to the end of the test run
 */
record ServerChoice(PostgresVersion version, boolean own, Store shared) {
    static ServerChoice of(ExtensionContext context) {
        Namespace namespace = Namespace.create(OneRoofExtension.class);
        PostgresVersion version = context.getStore(namespace).get(PostgresVersion.class, PostgresVersion.class);
        if (version == null) {
            version = annotation(context, OnServer.class).map(OnServer::value).orElse(PostgresVersion.BUNDLED);
        }
        return new ServerChoice(
                version, ownServerWanted(context), context.getRoot().getStore(StoreScope.LAUNCHER_SESSION, namespace));
    }

    TestServer sharedServer() {
        return shared.computeIfAbsent(version, TestServer::start, TestServer.class);
    }

    private static boolean ownServerWanted(ExtensionContext context) {
        return Arrays.asList(context.getRequiredTestMethod().getParameterTypes())
                        .contains(OwnServer.class)
                || annotation(context, OneRoofTest.class)
                        .map(OneRoofTest::ownServer)
                        .orElse(false);
    }

    /** The method's own word counts before its class's, and that before the classes' around it. */
    private static <A extends Annotation> Optional<A> annotation(ExtensionContext context, Class<A> type) {
        return AnnotationSupport.findAnnotation(context.getTestMethod(), type)
                .or(() -> AnnotationSupport.findAnnotation(
                        context.getRequiredTestClass(), type, context.getEnclosingTestClasses()));
    }
}
