/** The commands: they read what was asked, call what does it, and print. */
@NullMarked
package dev.oneroof.app.cli;

import org.jspecify.annotations.NullMarked;
