package io.hypersync.leader.history;

import io.hypersync.runtime.admin.UserError;

/**
 * How much heap the states of the past may take beside the leader's own. Spent by estimates that
 * are rather too high. Not thread-safe.
 */
public final class HeapAllowance {
  private final long bytes;
  private final String hint;
  private long spent;

  /**
   * An allowance.
   *
   * @param hint what to do when it is spent
   */
  public HeapAllowance(long bytes, String hint) {
    this.bytes = bytes;
    this.hint = hint;
  }

  /**
   * Spends a part, or gives one back.
   *
   * @param part bytes; negative for what is given back
   * @throws UserError if that is more than is left
   */
  public void spend(long part) {
    spent += part;
    if (spent > bytes) {
      throw new UserError(
          "there is no memory for states that differ so much: "
              + bytes
              + " bytes are free for them",
          hint);
    }
  }
}
