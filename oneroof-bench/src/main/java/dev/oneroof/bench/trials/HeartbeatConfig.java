package dev.oneroof.bench.trials;

/** How many scopes beat, and how often each does while the snapshot is open: 960 times are an hour. */
public record HeartbeatConfig(int scopes, int beats, int lookups) {}
