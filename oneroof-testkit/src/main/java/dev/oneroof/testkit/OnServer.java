package dev.oneroof.testkit;

import dev.oneroof.testkit.server.PostgresVersion;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Chooses the server that a test, or all tests of a class, run on; without it the bundled one. */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
public @interface OnServer {
    PostgresVersion value();
}
