/** The commands of {@code oneroof db}: OneRoof's own schema. */
@NullMarked
package dev.oneroof.app.cli.db;

import org.jspecify.annotations.NullMarked;
