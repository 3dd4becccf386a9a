package dev.oneroof.bench.wakeup;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DelaysTest {
    @Test
    void takesTheLeastThatAShareDoesNotExceed() {
        double[] hundred = IntStream.rangeClosed(1, 100).asDoubleStream().toArray();

        assertThat(Delays.percentile(0.5, hundred)).isEqualTo(50);
        assertThat(Delays.percentile(0.99, hundred)).isEqualTo(99);
        assertThat(Delays.percentile(1, hundred)).isEqualTo(100);
        assertThat(Delays.percentile(0.99, new double[] {1, 2})).isEqualTo(2);
    }

    @Test
    void hasNoneWhereNothingCame() {
        assertThat(new Delays(1).percentile(0.5)).isNaN();
    }
}
