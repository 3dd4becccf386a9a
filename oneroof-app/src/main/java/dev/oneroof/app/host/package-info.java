/** Assembles an instance: configuration, database, pool, schema check, features, runtime. */
@NullMarked
package dev.oneroof.app.host;

import org.jspecify.annotations.NullMarked;
