package dev.oneroof.bench.trials;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/** What is done to a process. */
enum Blow {
    /** At once, as {@code kill -9} does. */
    KILL,
    /** Frozen for longer than its lease, then let go on. */
    STOP;

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** So many of each, in an order by chance. */
    static List<Blow> mixed(int kills, int stops, SplittableRandom random) {
        List<Blow> blows = new ArrayList<>();
        int killsLeft = kills;
        int stopsLeft = stops;
        while (killsLeft + stopsLeft > 0) {
            boolean kill = random.nextInt(killsLeft + stopsLeft) < killsLeft;
            blows.add(kill ? KILL : STOP);
            killsLeft -= kill ? 1 : 0;
            stopsLeft -= kill ? 0 : 1;
        }
        return blows;
    }
}
