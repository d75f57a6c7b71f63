package io.hypersync.sim.check;

/** An invariant does not hold. */
public final class Violation extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Says which, and what was seen. */
  public Violation(String what) {
    super(what);
  }

  /** Throws unless the condition holds; the parts of the message are joined only then. */
  static void unless(boolean holds, Object... message) {
    if (!holds) {
      StringBuilder what = new StringBuilder();
      for (Object part : message) {
        what.append(part);
      }
      throw new Violation(what.toString());
    }
  }
}
