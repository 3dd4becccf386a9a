/** Every setting, where it may come from, and what it may be. */
@NullMarked
package dev.oneroof.app.config;

import org.jspecify.annotations.NullMarked;
