package dev.oneroof.embeddedpostgres;

/**
 * The two ways into an embedded server.
 *
 * @param admin as its superuser, to make databases, roles and schemas
 * @param program as the login for everything else
 */
public record RunningServer(ServerAddress admin, ServerAddress program) {}
