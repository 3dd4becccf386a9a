package dev.oneroof.bench.trials;

/** How many scopes beat, and how often each does while the snapshot is open: 1,210 times are the most in an hour. */
public record HeartbeatConfig(int scopes, int beats, int lookups) {}
