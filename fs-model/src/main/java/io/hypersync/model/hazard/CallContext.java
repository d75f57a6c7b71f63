package io.hypersync.model.hazard;

/**
 * What a worker knows of a call beside who has made it and what it changes. The leader uses it to
 * decide which hazards the entry has; nothing else rests on it.
 *
 * @param paths by which the call has named what it changes
 * @param isNameLate whether the caller's name was not found in time, so that an empty name does not
 *     mean that the caller has none
 * @param seen the newest entry whose state the caller's agent may have read of the file that the
 *     call changes; 0 if none; {@link #NOT_KNOWN} if nobody can say
 */
public record CallContext(CallPaths paths, boolean isNameLate, long seen) {
  /** The agent may have read anything. */
  public static final long NOT_KNOWN = -1;

  /** Nothing is known. */
  public static final CallContext NONE = new CallContext(CallPaths.NONE, false, NOT_KNOWN);

  /**
   * Checks the range.
   *
   * @throws IllegalArgumentException if {@code seen} is neither an index nor {@link #NOT_KNOWN}
   */
  public CallContext {
    if (seen < NOT_KNOWN) {
      throw new IllegalArgumentException("has seen entry " + seen);
    }
  }

  /** The paths, and nothing else. */
  public static CallContext of(CallPaths paths) {
    return new CallContext(paths, false, NOT_KNOWN);
  }
}
