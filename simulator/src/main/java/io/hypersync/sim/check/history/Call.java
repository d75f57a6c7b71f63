package io.hypersync.sim.check.history;

import org.jspecify.annotations.Nullable;

/**
 * A call of one process on one object.
 *
 * @param process name of the caller, used in messages only
 * @param input operation and arguments
 * @param output the answer; null if it is unknown: the call may take effect at any time after it
 *     was made, or never
 * @param calledAt event number of the call
 * @param answeredAt event number of the answer; {@link #NEVER} if the output is unknown
 */
public record Call<I, O>(
    String process, I input, @Nullable O output, long calledAt, long answeredAt) {
  /** The call was not answered, or its answer does not say whether it took effect. */
  public static final long NEVER = Long.MAX_VALUE;

  @Override
  public String toString() {
    String end = answeredAt == NEVER ? "" : Long.toString(answeredAt);
    return process
        + " "
        + calledAt
        + ".."
        + end
        + " "
        + input
        + " -> "
        + (output == null ? "?" : output);
  }
}
