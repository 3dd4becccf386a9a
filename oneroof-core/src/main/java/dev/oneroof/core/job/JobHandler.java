package dev.oneroof.core.job;

/** Runs a job. It may be called more than once for one job: after a crash, and after its lease expired. */
@FunctionalInterface
public interface JobHandler {
    Outcome handle(Job job) throws Exception;
}
