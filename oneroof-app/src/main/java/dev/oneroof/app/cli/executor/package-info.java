/** The commands of {@code oneroof executor}: grants to the logins of executors. */
@NullMarked
package dev.oneroof.app.cli.executor;

import org.jspecify.annotations.NullMarked;
