/** Checks an installation and reports each problem with its evidence and its fix. */
@NullMarked
package dev.oneroof.app.doctor;

import org.jspecify.annotations.NullMarked;
