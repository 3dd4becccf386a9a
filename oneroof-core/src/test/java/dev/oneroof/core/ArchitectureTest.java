package dev.oneroof.core;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.oneroof.postgres.Tx;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.oneroof.core");

    /** Classes outside stores, pages and effects that run SQL, each with the reason. */
    private static final Map<String, String> RUNS_SQL =
            Map.of("dev.oneroof.core.tail.read.LookAhead", "its SQL is built from the source's page");

    @Test
    void packagesHaveNoCycles() {
        slices().matching("dev.oneroof.core.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void onlyStoresPagesAndEffectsRunSql() {
        noClasses()
                .that()
                .haveNameNotMatching(".*(Store|Page|Effect)(\\$.*)?")
                .and(new DescribedPredicate<JavaClass>("are not listed with a reason") {
                    @Override
                    public boolean test(JavaClass type) {
                        return !RUNS_SQL.containsKey(type.getName());
                    }
                })
                .should()
                .callMethod(Tx.class, "query", String.class)
                .orShould()
                .callMethod(Tx.class, "update", String.class)
                .check(CLASSES);
    }

    /** So that the list does not outlive what it lists. */
    @Test
    void everyExceptionIsNeeded() {
        RUNS_SQL.keySet()
                .forEach(name -> assertThat(CLASSES.get(name).getMethodCallsFromSelf())
                        .as(name)
                        .anyMatch(call -> call.getTargetOwner().isEquivalentTo(Tx.class)
                                && (call.getName().equals("query")
                                        || call.getName().equals("update"))));
    }
}
