/** The root command, shared options and output, and the commands without a noun. Each noun has its own package. */
@NullMarked
package dev.oneroof.app.cli;

import org.jspecify.annotations.NullMarked;
