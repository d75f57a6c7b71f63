package io.hypersync.sim.check.history;

import org.jspecify.annotations.Nullable;

/**
 * A call of one process on one object.
 *
 * @param process who called; for people
 * @param input what was asked for
 * @param output what was answered; null if nobody knows: it may have happened at any time after the
 *     call, or never
 * @param calledAt the number of the event in which it was made
 * @param answeredAt the number of the event in which it was answered, {@link #NEVER} if the output
 *     is not known
 */
public record Call<I, O>(
    String process, I input, @Nullable O output, long calledAt, long answeredAt) {
  /** Not answered, or not with anything that says what happened. */
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
