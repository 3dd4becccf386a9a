package dev.oneroof.core.job;

/** Does a job. It may be called more than once for one: after a crash, and when its lease ran out. */
@FunctionalInterface
public interface JobHandler {
    Outcome handle(Job job) throws Exception;
}
