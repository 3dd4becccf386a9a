package dev.oneroof.core.tabletail;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * How a cursor reads its source.
 *
 * @param source as it is registered
 * @param unhandled the same without the rows that the cursor has handled under earlier filters: it may read a stretch
 *     again for a wider filter, and hands out no row twice
 */
record Reading(TailSource source, TailSource unhandled) {
    static Reading of(TailSource source, Cursor cursor) {
        if (cursor.priors().isEmpty()) {
            return new Reading(source, source);
        }
        OrderKey key = new OrderKey(source);
        List<String> conditions = new ArrayList<>();
        if (source.filter() != null) {
            conditions.add("(" + source.filter() + ")");
        }
        // A row without a time lies up to no place: it is left out by its kept key.
        cursor.priors()
                .forEach(prior -> conditions.add(
                        prior.filter() == null
                                ? "(%s) IS NOT TRUE".formatted(key.isUpTo(prior.upTo()))
                                : "(%s AND (%s)) IS NOT TRUE".formatted(key.isUpTo(prior.upTo()), prior.filter())));
        return new Reading(source, source.where(conditions.stream().collect(Collectors.joining(" AND "))));
    }
}
