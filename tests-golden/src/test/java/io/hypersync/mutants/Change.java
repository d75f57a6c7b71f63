package io.hypersync.mutants;

import org.jspecify.annotations.Nullable;

/**
 * How a method is made wrong. Calls are named {@code Class.method}, without the package. A constant
 * is an {@code Integer} (also for boolean), a {@code Long}, or null.
 */
sealed interface Change {
  /** The method does nothing but answer this; null for a method that answers nothing, too. */
  record Answers(@Nullable Object constant) implements Change {}

  /** A call in the method is not made, and its answer is this. */
  record CallAnswers(String call, @Nullable Object constant) implements Change {}

  /** A call in the method is not made; it answers nothing, or what nobody looks at. */
  record CallSkipped(String call) implements Change {}

  /** A call in the method gets another last argument, which is a long. */
  record LastArgument(String call, long constant) implements Change {}

  /** A static method of {@link Wrong} is called instead, with the object as first argument. */
  record CallReplaced(String call, String by) implements Change {}
}
