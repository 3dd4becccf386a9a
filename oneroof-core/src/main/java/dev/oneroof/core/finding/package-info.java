/** Findings: raised while a condition lasts, resolved when it ends. */
@NullMarked
package dev.oneroof.core.finding;

import org.jspecify.annotations.NullMarked;
