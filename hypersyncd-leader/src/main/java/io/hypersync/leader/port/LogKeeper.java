package io.hypersync.leader.port;

import java.util.Locale;

/**
 * Why a collection keeps what the entries of the log mention, from one of them on, and not only
 * from a later one on.
 *
 * @param who the worker that is furthest behind, or the workers that install a snapshot; else empty
 */
public record LogKeeper(Reason reason, String who) {
  /** No snapshot is newer. */
  public static final LogKeeper SNAPSHOT = new LogKeeper(Reason.SNAPSHOT, "");

  /** What keeps the log, in the order in which it is named if several keep the same. */
  public enum Reason {
    /** The next start begins with the newest snapshot, and applies what is behind it. */
    SNAPSHOT,
    /** Workers that come back may still begin there. */
    REPLAY_WINDOW,
    /** A diff, a backup, a restore or a scrub reads the log behind a snapshot. */
    READER,
    /** Workers install a snapshot, and will need what is behind it. */
    INSTALL,
    /** A connected worker has not applied more, or shows no more. */
    WORKER;

    /** The reason as docs/json.md has it. */
    public String code() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
