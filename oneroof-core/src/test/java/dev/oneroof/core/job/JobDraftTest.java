package dev.oneroof.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JobDraftTest {
    private final JobDraft<JobHandlerSpec> draft = new JobDraft<>(JobKind.named("mark_file"), work -> work);

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 10_001})
    void refusesANumberAtOnceThatCannotBe(int jobs) {
        assertRefused(() -> draft.atOnce(jobs).each(job -> Outcome.done()), jobs);
        assertRefused(() -> draft.atOnce(jobs).eachInTx((tx, job) -> Outcome.done()), jobs);
    }

    @Test
    void doesAsManyAtOnceAsWereWanted() {
        assertThat(draft.atOnce(1).each(job -> Outcome.done()).atOnce()).isEqualTo(1);
        assertThat(draft.atOnce(10_000).eachInTx((tx, job) -> Outcome.done()).atOnce())
                .isEqualTo(10_000);
    }

    @Test
    void doesFewerInTransactionsWhereNoNumberIsWanted() {
        assertThat(draft.each(job -> Outcome.done()).atOnce()).isEqualTo(16);
        assertThat(draft.eachInTx((tx, job) -> Outcome.done()).atOnce()).isEqualTo(4);
    }

    private static void assertRefused(ThrowingCallable call, int jobs) {
        assertThatThrownBy(call)
                .hasMessage("at_once: '%d' is not allowed; allowed are 1 to 10000".formatted(jobs))
                .isInstanceOfSatisfying(
                        OneRoofException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_INPUT));
    }
}
