/** A registry to try OneRoof on, filled and kept alive. */
@NullMarked
package dev.oneroof.app.demo;

import org.jspecify.annotations.NullMarked;
