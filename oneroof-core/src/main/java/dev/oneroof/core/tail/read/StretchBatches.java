package dev.oneroof.core.tail.read;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The batches of keys in the stretch, by number, with the key count of each. A cursor has one owner, so the owner can
 * know the numbers and does not search for them: while any session holds a snapshot open, deleted batches stay in the
 * table, and a search steps over every one of them.
 */
public record StretchBatches(NavigableMap<Long, Integer> keysByNumber, long keys) {
    public static final StretchBatches NONE = of(new TreeMap<>());

    private static StretchBatches of(NavigableMap<Long, Integer> keysByNumber) {
        return new StretchBatches(
                Collections.unmodifiableNavigableMap(keysByNumber),
                keysByNumber.values().stream().mapToLong(Integer::longValue).sum());
    }

    /** From two arrays of the same length. */
    static StretchBatches of(ResultSet row, String numbers, String counts) throws SQLException {
        NavigableMap<Long, Integer> read = new TreeMap<>();
        if (row.getArray(numbers) != null) {
            Long[] number = (Long[]) row.getArray(numbers).getArray();
            Integer[] count = (Integer[]) row.getArray(counts).getArray();
            for (int i = 0; i < number.length; i++) {
                read.put(number[i], count[i]);
            }
        }
        return of(read);
    }

    public boolean isEmpty() {
        return keysByNumber.isEmpty();
    }

    public StretchBatches plus(StretchBatches more) {
        if (more.isEmpty()) {
            return this;
        }
        NavigableMap<Long, Integer> both = new TreeMap<>(keysByNumber);
        both.putAll(more.keysByNumber);
        return of(both);
    }

    public StretchBatches minus(Collection<Long> numbers) {
        if (numbers.isEmpty()) {
            return this;
        }
        NavigableMap<Long, Integer> left = new TreeMap<>(keysByNumber);
        numbers.forEach(left::remove);
        return of(left);
    }

    /** The numbers of the batches with fewer keys. */
    public List<Long> smallerThan(int keys) {
        return keysByNumber.entrySet().stream()
                .filter(batch -> batch.getValue() < keys)
                .map(Map.Entry::getKey)
                .toList();
    }

    public Collection<Long> numbers() {
        return keysByNumber.keySet();
    }

    /** Numbers as the text of an array, to be cast to one. */
    public static String array(Collection<Long> numbers) {
        return numbers.stream().map(String::valueOf).collect(Collectors.joining(",", "{", "}"));
    }
}
