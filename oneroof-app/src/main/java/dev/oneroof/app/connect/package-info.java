/** Reaching the database, be it the embedded server or the user's own. */
@NullMarked
package dev.oneroof.app.connect;

import org.jspecify.annotations.NullMarked;
