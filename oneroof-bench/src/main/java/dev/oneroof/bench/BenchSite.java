package dev.oneroof.bench;

import dev.oneroof.postgres.DatabaseAddress;
import dev.oneroof.postgres.schema.SchemaConfig;

/** Where a bench works: a database with OneRoof's schema in it, and a login that may create a schema of its own. */
public record BenchSite(DatabaseAddress address, SchemaConfig schema) {}
