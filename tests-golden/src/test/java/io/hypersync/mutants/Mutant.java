package io.hypersync.mutants;

import org.jspecify.annotations.Nullable;

/**
 * A wrong program.
 *
 * @param what what is wrong with it, in the words of a bug report
 * @param owner the class that is changed, without the package {@code io.hypersync}
 * @param method the method that is changed, with the lambdas in it
 * @param change how
 */
record Mutant(String what, String owner, String method, Change change) {
  /** Nothing is done, or this is answered at once. */
  static Mutant answers(String what, String owner, String method, @Nullable Object constant) {
    return new Mutant(what, owner, method, new Change.Answers(constant));
  }

  /** A call in it is not made and has this answer. */
  static Mutant callAnswers(
      String what, String owner, String method, String call, @Nullable Object constant) {
    return new Mutant(what, owner, method, new Change.CallAnswers(call, constant));
  }

  /** A call in it is left out. */
  static Mutant skips(String what, String owner, String method, String call) {
    return new Mutant(what, owner, method, new Change.CallSkipped(call));
  }

  /** A call in it has another last argument. */
  static Mutant lastArgument(String what, String owner, String method, String call, long constant) {
    return new Mutant(what, owner, method, new Change.LastArgument(call, constant));
  }

  /** A call in it goes to a method of {@link Wrong}. */
  static Mutant replaces(String what, String owner, String method, String call, String by) {
    return new Mutant(what, owner, method, new Change.CallReplaced(call, by));
  }

  String className() {
    return "io.hypersync." + owner;
  }

  @Override
  public String toString() {
    return what;
  }
}
