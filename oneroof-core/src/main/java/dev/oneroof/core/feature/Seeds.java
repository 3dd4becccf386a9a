package dev.oneroof.core.feature;

import java.util.Set;

/**
 * Rows that a feature needs and that only its migrations may insert.
 *
 * @param gates keys in {@code dot_config}
 * @param findingTypes names in {@code system_issue_type}
 * @param eventTypes types in {@code event_type_registry}, each as {@code domain/type}
 */
public record Seeds(Set<String> gates, Set<String> findingTypes, Set<String> eventTypes) {
    public static final Seeds NONE = new Seeds(Set.of(), Set.of(), Set.of());

    public Seeds {
        gates = Set.copyOf(gates);
        findingTypes = Set.copyOf(findingTypes);
        eventTypes = Set.copyOf(eventTypes);
    }
}
