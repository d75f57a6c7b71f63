package io.hypersync.sim;

import java.util.List;

/**
 * A history in which an invariant failed. The message names the seed, the step and the cause, and
 * gives the command that reproduces it.
 */
public final class SimulationFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient SimulationOptions options;
  private final long step;
  private final String what;

  /**
   * Makes the exception and its message.
   *
   * @param last the events before the failure, oldest first
   * @param cause the broken invariant, or what the code under test threw
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

  public SimulationOptions options() {
    return options;
  }

  /**
   * The step in which it failed; greater than the number of steps in the options if that was in the
   * quiet phase.
   */
  public long step() {
    return step;
  }

  /** The message of the cause, without the events before it. */
  public String what() {
    return what;
  }
}
