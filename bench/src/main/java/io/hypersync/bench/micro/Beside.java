package io.hypersync.bench.micro;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What a benchmark is compared with: its time as a multiple of the reference's of the same run can
 * be held against a later run, on another machine too; its time alone cannot.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Beside {
  /** The method of the same class that is the reference, with those parameters that both have. */
  String value();
}
