/** What is wrong, raised and resolved by its condition. */
@NullMarked
package dev.oneroof.core.finding;

import org.jspecify.annotations.NullMarked;
