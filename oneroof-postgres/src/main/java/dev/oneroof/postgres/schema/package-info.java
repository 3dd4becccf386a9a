/** The tables, functions and roles that OneRoof keeps in the user's database, and how they get there. */
@NullMarked
package dev.oneroof.postgres.schema;

import org.jspecify.annotations.NullMarked;
