/** Seeds candidates from what was born before anybody watched. */
@NullMarked
package dev.oneroof.governance.registrybackfill;

import org.jspecify.annotations.NullMarked;
