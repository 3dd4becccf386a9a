package dev.oneroof.bench;

/** A promise that can be measured on a server of choice. */
@FunctionalInterface
public interface Bench {
    BenchResult run(BenchSite site) throws Exception;
}
