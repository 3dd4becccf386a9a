/** The commands of {@code oneroof worker}: list, pause, resume and run workers. */
@NullMarked
package dev.oneroof.app.cli.worker;

import org.jspecify.annotations.NullMarked;
