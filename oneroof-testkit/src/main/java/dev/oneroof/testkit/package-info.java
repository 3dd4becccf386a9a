/** Tests on a real PostgreSQL: the JUnit extension that gives each test a database and looks at what it leaves. */
@NullMarked
package dev.oneroof.testkit;

import org.jspecify.annotations.NullMarked;
