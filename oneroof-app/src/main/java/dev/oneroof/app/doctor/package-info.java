/** Looks over an installation and says what is amiss, by what evidence, and what mends it. */
@NullMarked
package dev.oneroof.app.doctor;

import org.jspecify.annotations.NullMarked;
