package io.hypersync.leader.presence;

import io.hypersync.model.id.WorkerId;
import java.util.Locale;

/**
 * Something that has happened to a worker's presence.
 *
 * @param number counts the events of this run of the leader, from 1
 * @param epochNs when, in nanoseconds since 1970, by the wall clock
 * @param session names the lease; random
 * @param address where the worker is connected from
 * @param reason for a person; may be empty; untrusted text
 */
public record PresenceEvent(
    long number,
    long epochNs,
    Kind kind,
    WorkerId worker,
    long session,
    String address,
    String reason) {
  /** What has happened. */
  public enum Kind {
    /** A lease has begun. Once for each lease. */
    WORKER_JOINED(true),
    /** A lease has ended. Once for each lease. */
    WORKER_LEFT(true),
    /** Another connection has taken up a session that was online. */
    SESSION_REPLACED(false),
    /** The connection is lost; the lease goes on. */
    LINK_LOST(false),
    /** There is a connection again, and the lease has gone on. */
    LINK_RESUMED(false),
    /** A standby has all that was acknowledged, and nothing is acknowledged without it. */
    STANDBY_SYNCHRONOUS(true),
    /** The leader goes on without a standby. */
    STANDBY_LEFT(true);

    private final boolean isSeenByAll;

    Kind(boolean isSeenByAll) {
      this.isSeenByAll = isSeenByAll;
    }

    /** Whether it concerns others than those who look for a fault: a short cut does not. */
    public boolean isSeenByAll() {
      return isSeenByAll;
    }

    /** Its name in reports. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
