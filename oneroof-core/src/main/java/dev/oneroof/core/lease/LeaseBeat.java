package dev.oneroof.core.lease;

/** A beat under a lease, to be written. */
public record LeaseBeat(Lease lease, Beat beat) {}
