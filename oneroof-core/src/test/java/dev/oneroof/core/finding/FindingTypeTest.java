package dev.oneroof.core.finding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.postgres.SqlState;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@OneRoofTest
class FindingTypeTest {
    private final FindingStore findings = new FindingStore();

    @Test
    void hasARegisteredRowForEachTypeOfACursor(TestDatabase database) {
        assertThat(database.list(row -> row.getString(1), "SELECT issue_type FROM oneroof.system_issue_type"))
                .containsAll(
                        FindingType.OF_A_CURSOR.stream().map(FindingType::name).toList());
    }

    @Test
    void isRaisedWhenAFeatureHasRegisteredIt(TestDatabase database) {
        FindingType type = new FindingType("feature_degraded");
        database.run("""
                INSERT INTO oneroof.system_issue_type (issue_type, bucket, route, severity, description)
                VALUES ('feature_degraded', 'feature', 'owner', 'low', 'a feature is degraded')
                """);
        Database db = new Database(database.dataSource(), SchemaName.DEFAULT);

        db.useTx(tx -> findings.raise(tx, new Finding(type, "a", "it is degraded", Map.of())));

        boolean isOpen = db.inTx(tx -> findings.isOpen(tx, type, "a"));
        assertThat(isOpen).isTrue();
    }

    @Test
    void isRefusedByTheDatabaseWhenItIsNotRegistered(TestDatabase database) {
        Finding finding = new Finding(new FindingType("not_registered"), "a", "summary", Map.of());
        Database db = new Database(database.dataSource(), SchemaName.DEFAULT);

        assertThatThrownBy(() -> db.useTx(tx -> findings.raise(tx, finding)))
                .satisfies(thrown -> assertThat(SqlState.of(thrown)).isEqualTo("22023"))
                .rootCause()
                .hasMessageContaining("'not_registered' is not a registered type of finding");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Cursor_lag", "cursor-lag", "1st", "_lag", "cursor lag"})
    void isRefusedUnlessItIsLowerSnakeCase(String name) {
        assertThatThrownBy(() -> new FindingType(name))
                .isInstanceOf(OneRoofException.class)
                .hasMessage("finding_type: '%s' is not allowed; allowed is lower snake case, such as cursor_lag", name);
    }
}
