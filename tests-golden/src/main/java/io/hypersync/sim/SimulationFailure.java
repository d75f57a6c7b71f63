package io.hypersync.sim;

import java.util.List;

/** A history in which something was wrong: says what, when, and how to see it again. */
public final class SimulationFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  SimulationFailure(SimulationOptions options, long step, List<String> last, Throwable cause) {
    super(
        "seed "
            + options.seed()
            + ", step "
            + step
            + ": "
            + cause.getMessage()
            + "\n  "
            + String.join("\n  ", last)
            + "\nto see it again: java "
            + SimulatorMain.class.getName()
            + " --seed "
            + options.seed()
            + " --steps "
            + options.steps()
            + ", or the test with -Dhypersync.sim.seed="
            + options.seed()
            + " -Dhypersync.sim.steps="
            + options.steps(),
        cause);
  }
}
