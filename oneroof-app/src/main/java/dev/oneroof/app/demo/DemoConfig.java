package dev.oneroof.app.demo;

/**
 * What the demo shall do.
 *
 * @param rows how many births the registry holds before anything runs
 * @param birthsPerSecond how many more arrive each second, for as long as the demo stays up
 * @param once end when everything is caught up
 */
public record DemoConfig(long rows, long seed, int birthsPerSecond, boolean once) {}
