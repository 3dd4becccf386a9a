/** The oneroof command. */
@NullMarked
package dev.oneroof.app;

import org.jspecify.annotations.NullMarked;
