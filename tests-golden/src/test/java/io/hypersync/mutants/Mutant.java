package io.hypersync.mutants;

import io.hypersync.sim.Emphasis;
import org.jspecify.annotations.Nullable;

/**
 * A mutant: the program with one deliberate bug.
 *
 * @param what the bug, in the words of a bug report
 * @param owner the changed class, without the package {@code io.hypersync}
 * @param method the changed method, including its lambdas
 * @param change the change
 * @param emphasis the histories that it is hunted for in
 */
record Mutant(String what, String owner, String method, Change change, Emphasis emphasis) {
  private Mutant(String what, String owner, String method, Change change) {
    this(what, owner, method, change, Emphasis.NONE);
  }

  /** The same one, hunted for in histories that are about one thing. */
  Mutant in(Emphasis histories) {
    return new Mutant(what, owner, method, change, histories);
  }

  /** A mutant whose method only returns this constant. */
  static Mutant answers(String what, String owner, String method, @Nullable Object constant) {
    return new Mutant(what, owner, method, new Change.Answers(constant));
  }

  /** A mutant in which a call is replaced by this constant. */
  static Mutant callAnswers(
      String what, String owner, String method, String call, @Nullable Object constant) {
    return new Mutant(what, owner, method, new Change.CallAnswers(call, constant));
  }

  /** A mutant in which a call is removed. */
  static Mutant skips(String what, String owner, String method, String call) {
    return new Mutant(what, owner, method, new Change.CallSkipped(call));
  }

  /** A mutant in which a call gets another last argument. */
  static Mutant lastArgument(String what, String owner, String method, String call, long constant) {
    return new Mutant(what, owner, method, new Change.LastArgument(call, constant));
  }

  /** A mutant in which a call goes to a method of {@link MutantReplacements} instead. */
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
