/** Connections and transactions: how every part of OneRoof reaches PostgreSQL. */
@NullMarked
package dev.oneroof.postgres;

import org.jspecify.annotations.NullMarked;
