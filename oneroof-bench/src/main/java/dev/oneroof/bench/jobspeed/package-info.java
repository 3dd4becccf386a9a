/** How fast jobs are enqueued and done, against a bare table. */
@NullMarked
package dev.oneroof.bench.jobspeed;

import org.jspecify.annotations.NullMarked;
