package io.hypersync.worker.takeover;

import java.nio.ByteBuffer;

/**
 * How a process has come to serve the mount of another one.
 *
 * @param pauseNs from the end of the process before, as the keeper has seen it, to the moment from
 *     which this one answers; nanoseconds
 * @param starts how many processes were started until one served
 */
public record Succession(How how, long pauseNs, int starts) {
  private static final int BYTES = 8 + 1 + 4;

  /** Why the process before has ended. */
  public enum How {
    /** It has died. */
    DIED(1, "died"),
    /** It has handed over to this one. */
    HANDED_OVER(2, "handed_over"),
    /** It has handed over to one that has ended before it served. */
    FELL_BACK(3, "fell_back");

    private final int code;
    private final String text;

    How(int code, String text) {
      this.code = code;
      this.text = text;
    }

    /** As docs/json.md has it. */
    public String text() {
      return text;
    }
  }

  /** As {@link KeeperMessage} shows it. */
  byte[] encoded() {
    return ByteBuffer.allocate(BYTES).putLong(pauseNs).put((byte) how.code).putInt(starts).array();
  }

  /**
   * Reads what {@link #encoded} has written; of a keeper of an earlier version nothing is known.
   */
  static Succession decode(byte[] bytes) {
    if (bytes.length >= BYTES) {
      ByteBuffer in = ByteBuffer.wrap(bytes);
      long pauseNs = in.getLong();
      int code = in.get();
      for (How how : How.values()) {
        if (how.code == code) {
          return new Succession(how, pauseNs, in.getInt());
        }
      }
    }
    return new Succession(How.DIED, -1, 1);
  }
}
