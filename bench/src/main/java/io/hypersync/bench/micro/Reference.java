package io.hypersync.bench.micro;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names the reference of a benchmark. The ratio of both times in one run can be compared with a
 * later run, even on another machine; the time alone cannot.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Reference {
  /**
   * Returns the name of the reference, a benchmark of the same class. Its parameters are a subset
   * of those of the annotated benchmark, and only runs with equal values of them are compared.
   */
  String value();
}
