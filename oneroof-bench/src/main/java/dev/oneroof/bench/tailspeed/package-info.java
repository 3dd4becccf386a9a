/** How fast a tail goes through a table, against what the server can do without one. */
@NullMarked
package dev.oneroof.bench.tailspeed;

import org.jspecify.annotations.NullMarked;
