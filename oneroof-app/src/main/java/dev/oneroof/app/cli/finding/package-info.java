/** Commands on findings. */
@NullMarked
package dev.oneroof.app.cli.finding;

import org.jspecify.annotations.NullMarked;
