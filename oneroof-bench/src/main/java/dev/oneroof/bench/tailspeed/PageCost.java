package dev.oneroof.bench.tailspeed;

/** What reading rows has cost the server. */
record PageCost(long rows, long buffers, double millis) {
    static final PageCost NOTHING = new PageCost(0, 0, 0);

    PageCost plus(PageCost more) {
        return new PageCost(rows + more.rows, buffers + more.buffers, millis + more.millis);
    }

    double buffersPerRow() {
        return (double) buffers / rows;
    }

    double microsPerRow() {
        return millis * 1000 / rows;
    }
}
