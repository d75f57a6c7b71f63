package io.hypersync.leader.recovery;

import java.io.Serial;

/** The leader has found that its own log is wrong: it must stop leading. */
public final class WrongRootException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  /**
   * Names the wrong entry.
   *
   * @param index of the first entry that is wrong, as far as is known
   * @param what is wrong with it, with both roots
   */
  public WrongRootException(long index, String what) {
    super("log entry " + index + " is wrong: " + what);
  }
}
