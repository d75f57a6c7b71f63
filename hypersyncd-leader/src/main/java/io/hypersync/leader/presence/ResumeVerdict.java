package io.hypersync.leader.presence;

import java.util.Locale;

/** What a leader thinks of the resume token in a Hello. */
public enum ResumeVerdict {
  /** There is none: a worker that has just started. */
  NONE,
  /** It names a session of this worker that goes on. */
  VALID,
  /** It is no token. */
  MALFORMED,
  /** This leader's key has not signed it: forged, or the key is another one now. */
  FORGED,
  /** It was given to another worker. */
  OTHER_WORKER,
  /** It was given by the leader of another workspace. */
  OTHER_WORKSPACE,
  /** It says that it was given later than now. */
  FROM_THE_FUTURE,
  /** Its time is over. */
  STALE,
  /** The session that it names has ended. */
  SESSION_OVER;

  /** Its name in reports. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
