package dev.oneroof.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TurnsTest {
    @Test
    void letsThemTakeTurnsAndJudgesByTheMedian() throws Exception {
        List<String> order = new ArrayList<>();
        List<Double> times = new ArrayList<>(List.of(9.0, 1.0, 2.0));

        Turns turns = Turns.take(
                3,
                () -> {
                    order.add("reference");
                    return times.removeFirst();
                },
                () -> {
                    order.add("candidate");
                    return 5;
                });

        assertThat(order).containsExactly("reference", "candidate", "reference", "candidate", "reference", "candidate");
        assertThat(turns.referenceMedian()).isEqualTo(2);
        assertThat(turns.candidateMedian()).isEqualTo(5);
        assertThat(Turns.median(List.of(4.0, 1.0))).isEqualTo(2.5);
    }

    @Test
    void aRatioHoldsUpToItsBound() {
        assertThat(Figure.ratioAtMost("seconds", 12.5, 10, 1.25).holds()).isTrue();
        assertThat(Figure.ratioAtMost("seconds", 12.6, 10, 1.25).holds()).isFalse();
        assertThat(Figure.ratioAtLeast("rows", 85, 100, 0.85).holds()).isTrue();
        assertThat(Figure.ratioAtLeast("rows", 84, 100, 0.85).holds()).isFalse();
        assertThat(Figure.told("time", 3, 2.0).ratio()).isEqualTo(1.5);
    }
}
