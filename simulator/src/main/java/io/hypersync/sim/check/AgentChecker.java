package io.hypersync.sim.check;

/**
 * Each mutation has the name of the agent whose process made the call, or none (hypersync.md 8.1).
 */
public final class AgentChecker {
  private AgentChecker() {}

  /**
   * A mutation is submitted.
   *
   * @param pid the thread that made the call
   * @param actual the agent that its process belongs to; empty if none
   * @param said what the mutation says
   */
  public static void check(int pid, String actual, String said) {
    Violation.unless(
        said.isEmpty() || said.equals(actual),
        "a call of pid ",
        pid,
        " is ascribed to ",
        said,
        ", but its process belongs to ",
        actual.isEmpty() ? "nobody" : actual);
  }
}
