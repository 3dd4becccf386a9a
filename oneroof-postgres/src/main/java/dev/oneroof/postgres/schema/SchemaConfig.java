package dev.oneroof.postgres.schema;

import dev.oneroof.postgres.SchemaName;

/** What may differ from one installation to the next: the schema's name and the roles' prefix. */
public record SchemaConfig(SchemaName schema, RoleNames roles) {
    public static final SchemaConfig DEFAULT = new SchemaConfig(SchemaName.DEFAULT, RoleNames.DEFAULT);
}
