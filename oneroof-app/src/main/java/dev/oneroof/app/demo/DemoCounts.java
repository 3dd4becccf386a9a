package dev.oneroof.app.demo;

/** How much there is of each. */
record DemoCounts(long births, long candidates, long collections, long changes, long owners, long policies) {}
