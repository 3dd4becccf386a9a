/** Measured promises, each as a ratio to a reference or against a bound. */
@NullMarked
package dev.oneroof.bench;

import org.jspecify.annotations.NullMarked;
