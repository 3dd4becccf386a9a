/** Reaching the database, be it the embedded server or the user's own. */
@NullMarked
package dev.oneroof.app.access;

import org.jspecify.annotations.NullMarked;
