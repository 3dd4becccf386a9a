package dev.oneroof.core.outbox;

/** What kind of event it is: {@code system/queue_worker_silent}. */
public record EventType(String domain, String name) {
    @Override
    public String toString() {
        return domain + "/" + name;
    }
}
