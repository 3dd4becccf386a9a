/** The commands of {@code oneroof dlq}: triage and replay of dead letters. */
@NullMarked
package dev.oneroof.app.cli.dlq;

import org.jspecify.annotations.NullMarked;
