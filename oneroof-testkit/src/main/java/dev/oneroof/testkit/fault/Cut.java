package dev.oneroof.testkit.fault;

import dev.oneroof.testkit.await.Await;
import java.util.function.Predicate;

/** A cut that waits for its statement; it happens once. */
public final class Cut {
    private final Predicate<String> statement;
    private final boolean afterAnswer;
    private volatile boolean happened;

    Cut(Predicate<String> statement, boolean afterAnswer) {
        this.statement = statement;
        this.afterAnswer = afterAnswer;
    }

    /** Whether it has happened. A test asks, lest it passes because nothing was cut. */
    public boolean happened() {
        return happened;
    }

    public void await() {
        Await.patiently().until("the cut", this::happened);
    }

    boolean matches(String sql) {
        return statement.test(sql);
    }

    boolean afterAnswer() {
        return afterAnswer;
    }

    void happens() {
        happened = true;
    }
}
