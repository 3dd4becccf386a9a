/** What operators see and do: the only door for the command and for HTTP. Views are records, acts take an actor and a reason. */
@NullMarked
package dev.oneroof.core.operator;

import org.jspecify.annotations.NullMarked;
