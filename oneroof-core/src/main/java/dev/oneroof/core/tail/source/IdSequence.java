package dev.oneroof.core.tail.source;

import java.util.ArrayList;
import java.util.List;

/**
 * The sequence that an id column's default draws from.
 *
 * @param name as SQL writes it
 * @param plain whether the default is the drawn number itself, without a computation
 * @param always whether a writer cannot set the id
 * @param owned whether the sequence belongs to the column, as {@code pg_get_serial_sequence} sees it
 * @param readable whether this role may read its last value
 */
record IdSequence(
        String name,
        boolean plain,
        boolean always,
        boolean owned,
        boolean readable,
        long cache,
        long increment,
        boolean cycles) {

    /** What ALTER SEQUENCE must change, so that its numbers are drawn one by one, in order and each once. */
    List<String> requiredChanges() {
        List<String> changes = new ArrayList<>();
        if (cache != 1) {
            changes.add("CACHE 1");
        }
        if (increment != 1) {
            changes.add("INCREMENT 1");
        }
        if (cycles) {
            changes.add("NO CYCLE");
        }
        return changes;
    }
}
