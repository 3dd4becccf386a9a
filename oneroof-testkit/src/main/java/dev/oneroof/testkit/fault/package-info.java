/** Tools that break things on purpose: processes, sessions and networks. */
@NullMarked
package dev.oneroof.testkit.fault;

import org.jspecify.annotations.NullMarked;
