/** Governance of registries, as a feature of the runtime. */
@NullMarked
package dev.oneroof.governance;

import org.jspecify.annotations.NullMarked;
