package dev.oneroof.core.tabletail;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A filter that a source had before: rows up to the place for which it held are handled by the cursor that keeps this.
 *
 * @param filter null for all rows
 */
public record PriorFilter(@Nullable String filter, Watermark upTo) {
    static List<PriorFilter> of(
            List<@Nullable String> filters, List<@Nullable String> times, List<@Nullable String> ids) {
        List<PriorFilter> priors = new ArrayList<>();
        for (int n = 0; n < filters.size(); n++) {
            priors.add(new PriorFilter(filters.get(n), new Watermark(times.get(n), ids.get(n))));
        }
        return List.copyOf(priors);
    }
}
