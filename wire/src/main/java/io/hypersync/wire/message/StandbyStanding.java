package io.hypersync.wire.message;

/**
 * What a leader that waits for its standbys tells one of them in each heartbeat (hypersync.md 19):
 * whether all that the leader has ever acknowledged is on that standby's disk. The standby keeps
 * it, for the day when it is promoted.
 *
 * @param aloneAfterMs if it is silent for so long, the leader goes on without it; {@link #NEVER} if
 *     the leader always waits
 */
public record StandbyStanding(Mark mark, int aloneAfterMs) {
  /** The leader acknowledges nothing without this standby. */
  public static final int NEVER = 0;

  /** Checks the time. */
  public StandbyStanding {
    if (aloneAfterMs < 0) {
      throw new IllegalArgumentException("alone after " + aloneAfterMs + " ms");
    }
  }

  /** How much of what was acknowledged it has. */
  public enum Mark {
    /** It lacks something that was acknowledged without it, or may. */
    INCOMPLETE,
    /** What was said before holds: the leader has waited for it all along. */
    AS_BEFORE,
    /** All of it is on its disk, and nothing is acknowledged without it. */
    SYNCHRONOUS
  }
}
