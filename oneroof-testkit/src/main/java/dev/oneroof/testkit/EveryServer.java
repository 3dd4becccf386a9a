package dev.oneroof.testkit;

import dev.oneroof.testkit.server.PostgresVersion;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;

/** Repeats a test for each server of the matrix. */
final class EveryServer implements TestTemplateInvocationContextProvider {
    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
        return true;
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
        return Arrays.stream(PostgresVersion.values()).map(OnVersion::new);
    }

    private record OnVersion(PostgresVersion version) implements TestTemplateInvocationContext {
        @Override
        public String getDisplayName(int index) {
            return "on the " + version.name().toLowerCase(Locale.ROOT) + " server";
        }

        @Override
        public void prepareInvocation(ExtensionContext context) {
            OneRoofExtension.chooseServer(context, version);
        }
    }
}
