package io.hypersync.sim.check;

/**
 * Each mutation has the name of the agent whose process made the call (hypersync.md 8.1), unless
 * nobody could tell in time, and then it says so.
 */
public final class AgentChecker {
  private AgentChecker() {}

  /**
   * A mutation is submitted.
   *
   * @param pid the thread that made the call
   * @param actual the agent that its process belongs to; empty if none
   * @param said what the mutation says
   * @param isLate whether it says that the name was not found in time
   */
  public static void check(int pid, String actual, String said, boolean isLate) {
    Violation.unless(
        said.equals(actual) || (said.isEmpty() && isLate),
        "a call of pid ",
        pid,
        " is ascribed to ",
        said.isEmpty() ? "nobody" : said,
        ", but its process belongs to ",
        actual.isEmpty() ? "nobody" : actual);
  }
}
