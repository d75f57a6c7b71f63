package io.hypersync.sim;

import java.util.List;

/** A history in which something was wrong: says what, when, and how to see it again. */
public final class SimulationFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient SimulationOptions options;
  private final long step;
  private final String what;

  /**
   * A failure.
   *
   * @param last the events before it, oldest first
   * @param cause what was wrong
   */
  public SimulationFailure(
      SimulationOptions options, long step, List<String> last, Throwable cause) {
    super(
        "seed "
            + options.seed()
            + ", step "
            + step
            + ": "
            + cause.getMessage()
            + "\n  "
            + String.join("\n  ", last)
            + "\nto see it again: "
            + options.command(),
        cause);
    this.options = options;
    this.step = step;
    this.what = String.valueOf(cause.getMessage());
  }

  /** What the history was made of. */
  public SimulationOptions options() {
    return options;
  }

  /** In which step it went wrong; one past the steps of the options means at rest. */
  public long step() {
    return step;
  }

  /** What was wrong, without the events before it. */
  public String what() {
    return what;
  }
}
