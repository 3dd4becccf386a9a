package dev.oneroof.bench.wakeup;

import java.time.Duration;

/**
 * How much is measured.
 *
 * @param events how many single events are timed, by wake-up and by the bare listener
 * @param polled how many are timed with the bridge off
 * @param clients how many emit at once
 * @param round how long they do, with the bridge on and with it off
 * @param rounds how often
 */
public record WakeConfig(int events, int polled, int clients, Duration round, int rounds) {}
