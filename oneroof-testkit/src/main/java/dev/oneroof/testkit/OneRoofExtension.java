package dev.oneroof.testkit;

import dev.oneroof.testkit.check.Invariants;
import dev.oneroof.testkit.check.TestThreads.Body;
import dev.oneroof.testkit.fault.Backends;
import dev.oneroof.testkit.fixture.Given;
import dev.oneroof.testkit.fixture.Seeded;
import dev.oneroof.testkit.server.OwnServer;
import dev.oneroof.testkit.server.PostgresVersion;
import dev.oneroof.testkit.server.TestDatabase;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.DynamicTestInvocationContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * Gives each test what it asks for, runs it on a thread of its own, and fails it for what it leaves; see
 * {@link OneRoofTest}. Everything is made when it is first asked for, so a test without a database costs none.
 */
public final class OneRoofExtension implements ParameterResolver, InvocationInterceptor, AfterEachCallback {
    private static final Namespace NAMESPACE = Namespace.create(OneRoofExtension.class);

    private static final Map<Class<?>, Function<TestScope, Object>> PARAMETERS = Map.of(
            TestDatabase.class, TestScope::database,
            Given.class, scope -> new Given(scope.database()),
            Seeded.class, TestScope::seeded,
            Invariants.class, TestScope::invariants,
            Backends.class, scope -> Backends.of(scope.database()),
            OwnServer.class, TestScope::ownServer);

    static void chooseServer(ExtensionContext context, PostgresVersion version) {
        store(context).put(PostgresVersion.class, version);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return PARAMETERS.containsKey(parameter.getParameter().getType());
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        if (context.getTestMethod().isEmpty()) {
            throw new ParameterResolutionException(
                    "A " + parameter.getParameter().getType().getSimpleName()
                            + " belongs to one test: ask for it in a test, @BeforeEach or @AfterEach method.");
        }
        Function<TestScope, Object> value =
                PARAMETERS.get(parameter.getParameter().getType());
        if (value == null) {
            throw new ParameterResolutionException("Not a parameter of OneRoof's tests: " + parameter.getParameter());
        }
        return value.apply(scope(context));
    }

    /** JUnit adds what is thrown here to the test's own failure where there is one. */
    @Override
    public void afterEach(ExtensionContext context) {
        scope(context).check(context.getExecutionException().orElse(null));
    }

    @Override
    public void interceptBeforeEachMethod(
            Invocation<@Nullable Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        runOnTestThread(invocation::proceed, context);
    }

    @Override
    public void interceptTestMethod(
            Invocation<@Nullable Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        runOnTestThread(invocation::proceed, context);
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<@Nullable Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        runOnTestThread(invocation::proceed, context);
    }

    @Override
    public <T extends @Nullable Object> T interceptTestFactoryMethod(
            Invocation<T> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        return runOnTestThread(invocation::proceed, context);
    }

    @Override
    public void interceptDynamicTest(
            Invocation<@Nullable Void> invocation, DynamicTestInvocationContext test, ExtensionContext context)
            throws Throwable {
        runOnTestThread(invocation::proceed, context);
    }

    @Override
    public void interceptAfterEachMethod(
            Invocation<@Nullable Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        runOnTestThread(invocation::proceed, context);
    }

    private static <T extends @Nullable Object> T runOnTestThread(Body<T> body, ExtensionContext context)
            throws Throwable {
        return scope(context).threads().run(body);
    }

    /** The test's scope, which the store closes after the test's last callback. */
    private static TestScope scope(ExtensionContext context) {
        return store(context).computeIfAbsent(TestScope.class, key -> TestScope.of(context), TestScope.class);
    }

    private static Store store(ExtensionContext context) {
        return context.getStore(NAMESPACE);
    }
}
