package dev.oneroof.core.job;

/** Dead letters of a kind that failed alike. */
public record LetterGroup(String kind, String fingerprint) {
    /** {@code KIND/FINGERPRINT}; a kind has no slash. */
    @Override
    public String toString() {
        return kind + "/" + fingerprint;
    }
}
