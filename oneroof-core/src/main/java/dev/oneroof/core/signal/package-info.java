/** What is sent instead of contents: addresses and figures. */
@NullMarked
package dev.oneroof.core.signal;

import org.jspecify.annotations.NullMarked;
