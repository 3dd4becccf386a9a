package dev.oneroof.app.host;

import dev.oneroof.core.feature.Feature;
import dev.oneroof.core.sqlworker.SqlWorkersFeature;
import dev.oneroof.governance.GovernanceFeature;
import java.util.List;

/** The features of this program. */
public final class Features {
    private Features() {}

    public static List<Feature> all() {
        return List.of(new SqlWorkersFeature(), new GovernanceFeature());
    }
}
