/** What a part of the product contributes to a running instance. */
@NullMarked
package dev.oneroof.core.feature;

import org.jspecify.annotations.NullMarked;
