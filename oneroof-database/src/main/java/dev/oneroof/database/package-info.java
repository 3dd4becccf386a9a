/** Connections and transactions: how every part of OneRoof reaches PostgreSQL. */
@NullMarked
package dev.oneroof.database;

import org.jspecify.annotations.NullMarked;
