/** The commands of {@code oneroof job}: enqueue, inspect and control jobs and their kinds. */
@NullMarked
package dev.oneroof.app.cli.job;

import org.jspecify.annotations.NullMarked;
