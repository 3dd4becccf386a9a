/** The servers that tests run on, and the database that each test gets on one of them. */
@NullMarked
package dev.oneroof.testkit.server;

import org.jspecify.annotations.NullMarked;
