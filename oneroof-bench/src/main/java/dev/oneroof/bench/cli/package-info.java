/** The command {@code oneroof bench}: runs benchmarks and trials and prints their figures. */
@NullMarked
package dev.oneroof.bench.cli;

import org.jspecify.annotations.NullMarked;
