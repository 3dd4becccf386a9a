/** The commands of {@code oneroof instance}: the running processes. */
@NullMarked
package dev.oneroof.app.cli.instance;

import org.jspecify.annotations.NullMarked;
