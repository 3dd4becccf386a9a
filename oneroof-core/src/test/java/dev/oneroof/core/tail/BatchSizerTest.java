package dev.oneroof.core.tail;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A model: rows 0 to 9999, some of them bad, read by a hand that obeys its sizing. */
class BatchSizerTest {
    private static final int ROWS = 10_000;
    private static final int BATCH = 500;
    /** How many pages a sweep takes in one transaction. */
    private static final int PAGES = 3;

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "9999", "4711", "0,1,2", "499,500", "17,18,4000,9999", "5000,5002,5004,5006"})
    void setsAsideTheBadRowsAndNoOthers(String listed) {
        Set<Integer> bad = new TreeSet<>(
                listed.isEmpty()
                        ? List.of()
                        : List.of(listed.split(",")).stream()
                                .map(Integer::valueOf)
                                .toList());
        Set<Integer> aside = new TreeSet<>();
        BatchSizer sizer = new BatchSizer();
        int place = 0;
        int tries = 0;
        while (place < ROWS) {
            tries++;
            int limit = sizer.limit(BATCH) * (sizer.isSearching() ? 1 : PAGES);
            int end = Math.min(ROWS, place + limit);
            int begin = place;
            boolean fails = bad.stream().anyMatch(row -> row >= begin && row < end);
            if (sizer.isRowIsolated()) {
                aside.add(place);
            } else if (fails) {
                sizer.failed(limit);
                continue;
            }
            sizer.succeeded(end - place, end - place >= limit);
            place = end;
        }

        assertThat(aside).isEqualTo(bad);
        assertThat(tries).isLessThanOrEqualTo(ROWS / BATCH + 1 + bad.size() * 24);
    }
}
