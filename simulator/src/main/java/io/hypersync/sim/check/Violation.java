package io.hypersync.sim.check;

/** Thrown by a checker when an invariant does not hold. */
public final class Violation extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates a violation.
   *
   * @param what the invariant and the values that break it
   */
  public Violation(String what) {
    super(what);
  }

  /** Throws unless the condition holds. The parts of the message are joined only if it throws. */
  public static void unless(boolean holds, Object... message) {
    if (!holds) {
      StringBuilder what = new StringBuilder();
      for (Object part : message) {
        what.append(part);
      }
      throw new Violation(what.toString());
    }
  }
}
