package io.hypersync.sim;

import java.io.PrintStream;

/**
 * Runs histories from the command line: {@code [--seed N] [--steps N] [--count N]}. Without a seed
 * it begins with one that was never used; histories after the first have the seeds after it. Exit
 * status 1 when an invariant is broken; the first failure is shown in full, the others in a line.
 */
public final class SimulatorMain {
  private static final int DEFAULT_STEPS = 3_000;

  private SimulatorMain() {}

  /** See the class. */
  public static void main(String[] arguments) {
    System.exit(run(arguments, System.out));
  }

  static int run(String[] arguments, PrintStream out) {
    long seed = System.nanoTime();
    int steps = DEFAULT_STEPS;
    int count = 1;
    for (int i = 0; i + 1 < arguments.length; i += 2) {
      switch (arguments[i]) {
        case "--seed" -> seed = Long.parseLong(arguments[i + 1]);
        case "--steps" -> steps = Integer.parseInt(arguments[i + 1]);
        case "--count" -> count = Integer.parseInt(arguments[i + 1]);
        default -> {
          out.println("usage: [--seed N] [--steps N] [--count N]");
          return 2;
        }
      }
    }
    int failures = 0;
    for (int i = 0; i < count; i++) {
      try {
        out.println(Simulation.run(new SimulationOptions(seed + i, steps)));
      } catch (SimulationFailure e) {
        failures++;
        if (failures == 1) {
          e.printStackTrace(out);
        } else {
          out.println(e.getMessage().lines().findFirst().orElse(""));
        }
      }
    }
    return failures == 0 ? 0 : 1;
  }
}
