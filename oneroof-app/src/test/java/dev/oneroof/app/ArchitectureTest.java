package dev.oneroof.app;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.oneroof");

    @Test
    void packagesOfTheCommandHaveNoCycles() {
        slices().matching("dev.oneroof.app.(*)..").should().beFreeOfCycles().check(CLASSES);
        slices().matching("dev.oneroof.app.cli.(*)..").should().beFreeOfCycles().check(CLASSES);
        slices().matching("dev.oneroof.(*)..").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void theRuntimeKnowsNothingOfItsUses() {
        noClasses()
                .that()
                .resideInAPackage("dev.oneroof.core..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.oneroof.governance..", "dev.oneroof.app..", "dev.oneroof.embeddedpostgres..")
                .check(CLASSES);
    }

    /** Shared options and output know no noun; only the root command lists them. */
    @Test
    void onlyTheRootCommandKnowsTheNouns() {
        noClasses()
                .that()
                .resideInAPackage("dev.oneroof.app.cli")
                .and()
                .doNotHaveSimpleName("RootCommand")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.oneroof.app.cli.*..")
                .check(CLASSES);
    }

    @Test
    void theCommandDoesNotNeedBenchesOrTheTestkit() {
        noClasses()
                .that()
                .resideInAPackage("dev.oneroof.app..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.oneroof.bench..", "dev.oneroof.testkit..")
                .check(CLASSES);
    }

    @Test
    void nobodySleepsOutsideTheWaitingClasses() {
        noClasses()
                .that()
                .haveNameNotMatching(".*\\.(Waiting|Patience|Await)(\\$.*)?")
                .should()
                .callMethod(Thread.class, "sleep", long.class)
                .orShould()
                .callMethod(Thread.class, "sleep", java.time.Duration.class)
                .check(CLASSES);
    }

    @Test
    void namesSayWhatAThingIs() {
        noClasses()
                .should()
                .haveSimpleNameEndingWith("Impl")
                .orShould()
                .haveSimpleNameEndingWith("Util")
                .orShould()
                .haveSimpleNameEndingWith("Utils")
                .orShould()
                .haveSimpleNameEndingWith("Helper")
                .orShould()
                .haveSimpleNameEndingWith("Manager")
                .check(CLASSES);
    }
}
