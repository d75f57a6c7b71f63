package io.hypersync.mutants;

import org.jspecify.annotations.Nullable;

/**
 * How the bytecode of a method is changed. Calls are named {@code Class.method}, without the
 * package. A constant is an {@code Integer} (also for boolean), a {@code Long}, or null.
 */
sealed interface Change {
  /** The method body is replaced by returning the constant; null for a void method, too. */
  record Answers(@Nullable Object constant) implements Change {}

  /** A call in the method is replaced by the constant. */
  record CallAnswers(String call, @Nullable Object constant) implements Change {}

  /** A call in the method is removed; its result, if any, becomes 0, false or null. */
  record CallSkipped(String call) implements Change {}

  /** The last argument of a call in the method, a long, is replaced. */
  record LastArgument(String call, long constant) implements Change {}

  /**
   * A call in the method is replaced by one of a static method of {@link MutantReplacements}, with
   * the receiver as first argument.
   */
  record CallReplaced(String call, String by) implements Change {}
}
