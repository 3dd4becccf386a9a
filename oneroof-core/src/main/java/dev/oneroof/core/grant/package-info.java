/** What the logins of executors in other languages may do. */
@NullMarked
package dev.oneroof.core.grant;

import org.jspecify.annotations.NullMarked;
