/** Gates that operators open and close while everything runs. */
@NullMarked
package dev.oneroof.core.gate;

import org.jspecify.annotations.NullMarked;
