/** What is looked for after every test: things left behind, and rows that must not be. */
@NullMarked
package dev.oneroof.testkit.check;

import org.jspecify.annotations.NullMarked;
