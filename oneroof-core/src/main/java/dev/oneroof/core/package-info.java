/** The way in: open OneRoof over a database, give it workers, start it. */
@NullMarked
package dev.oneroof.core;

import org.jspecify.annotations.NullMarked;
