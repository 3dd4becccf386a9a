package dev.oneroof.core.grant;

/**
 * A grant, with its effect.
 *
 * @param login the login's name; its number where it was dropped
 * @param subject {@code kind}, {@code executor} or {@code domain}
 * @param state {@code granted}; or why it has no effect: the login was {@code dropped}, is {@code exempt}, has {@code no
 *     login} any more, or is {@code no executor}
 * @param dbUser the login under which it was granted
 */
public record ExecutorGrant(
        String login,
        String subject,
        String name,
        String state,
        String actor,
        String reason,
        String dbUser,
        String grantedAt) {}
