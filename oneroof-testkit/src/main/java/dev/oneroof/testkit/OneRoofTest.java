package dev.oneroof.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Marks a class of tests that run on a real PostgreSQL. Each test may take as parameters
 *
 * <ul>
 *   <li>{@link dev.oneroof.testkit.server.TestDatabase}, a database of its own,
 *   <li>{@link dev.oneroof.testkit.fixture.Given}, fixtures on that database,
 *   <li>{@link dev.oneroof.testkit.fixture.Seeded}, random values whose seed is told when the test fails,
 *   <li>{@link dev.oneroof.testkit.check.Invariants}, to add some of its own,
 *   <li>{@link dev.oneroof.testkit.fault.Backends}, the sessions on its database,
 *   <li>{@link dev.oneroof.testkit.server.OwnServer}, a server of its own that it may crash.
 * </ul>
 *
 * <p>After the test it is failed if a connection, transaction, lock, prepared transaction or thread is left over, or
 * if an invariant does not hold.
 */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(OneRoofExtension.class)
public @interface OneRoofTest {
    /** Whether each test gets a server of its own; asking for an {@code OwnServer} in the test method says the same. */
    boolean ownServer() default false;
}
