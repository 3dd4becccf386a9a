package dev.oneroof.core.liveness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** All combinations of facts, each with exactly one state, against the same told in Java. */
@OneRoofTest
class QueueStateTest {
    private record Facts(
            boolean watched, int age, boolean ownerGone, boolean stuck, boolean held, boolean behind, boolean working) {
        private static final int THRESHOLD = 30;
        private static final int CADENCE = 5;

        String state() {
            if (!watched) {
                return "unwatched";
            }
            if ((age > THRESHOLD && age >= 10 * CADENCE) || ownerGone) {
                return "dead";
            }
            if (age > THRESHOLD) {
                return "silent";
            }
            if (stuck) {
                return "stuck";
            }
            if (held) {
                return "held";
            }
            if (behind) {
                return "behind";
            }
            return working ? "working" : "quiet";
        }

        String sql() {
            return "(%s, %d, %d, %d, %s, %s, %s, %s, %s)"
                    .formatted(
                            watched,
                            age,
                            THRESHOLD,
                            CADENCE,
                            ownerGone,
                            stuck ? "'stuck in it'" : "NULL",
                            held ? "'a pause'" : "NULL",
                            behind ? "'an hour'" : "NULL",
                            working ? "'rows'" : "NULL");
        }
    }

    @Test
    void hasOneStateForEachCombinationOfFacts(TestDatabase database) {
        List<Facts> all = combinations();

        List<String> told = database.list(row -> row.getString(1), """
                SELECT concat_ws(' ', s.state, s.reason <> '')
                FROM (VALUES %s) f (watched, age, threshold, cadence, gone, stuck, held, behind, working)
                CROSS JOIN LATERAL oneroof.fn_queue_state(
                    f.watched, f.age, f.threshold, f.cadence, f.gone, f.stuck, f.held, f.behind, f.working) s
                """.formatted(
                        String.join(", ", all.stream().map(Facts::sql).toList())));

        assertThat(told)
                .isEqualTo(all.stream().map(facts -> facts.state() + " t").toList());
    }

    private static List<Facts> combinations() {
        List<Facts> all = new ArrayList<>();
        for (int age : new int[] {0, 30, 31, 49, 50, 100_000}) {
            for (int bits = 0; bits < 64; bits++) {
                all.add(new Facts(
                        (bits & 1) != 0,
                        age,
                        (bits & 2) != 0,
                        (bits & 4) != 0,
                        (bits & 8) != 0,
                        (bits & 16) != 0,
                        (bits & 32) != 0));
            }
        }
        return all;
    }
}
