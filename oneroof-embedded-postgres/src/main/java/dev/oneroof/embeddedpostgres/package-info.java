/** A real, durable PostgreSQL server in a directory that one process at a time owns. */
@NullMarked
package dev.oneroof.embeddedpostgres;

import org.jspecify.annotations.NullMarked;
