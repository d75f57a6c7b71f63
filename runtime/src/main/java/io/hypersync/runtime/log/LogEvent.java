package io.hypersync.runtime.log;

import java.util.Locale;
import java.util.Map;

/**
 * What people and programs look for in the log of a daemon. A name stays what it is, while the text
 * of its line may become clearer; {@code docs/logs.md} has them all.
 */
public enum LogEvent {
  /** A daemon is ready for work. */
  READY,
  /** A daemon stops, and why. */
  STOPPING,
  /** A daemon has stopped. */
  STOPPED,
  /** A daemon makes no progress, and the service manager may end it. */
  NO_PROGRESS,
  /** A leader has recovered its state and takes workers. */
  LEADING,
  /** Another process of the host leads; this one waits. */
  OBSERVING,
  /** A leader does not lead any more. */
  NOT_LEADING,
  /** A state is led in a new term. */
  PROMOTED,
  /** The state of a leader has become that of a standby. */
  DEPOSED,
  /** Entries that only this state had are kept aside. */
  LEFT_BEHIND,
  /** A worker has joined. */
  WORKER_JOINED,
  /** The connection of a worker has ended. */
  WORKER_LEFT,
  /** A worker is refused. */
  WORKER_REFUSED,
  /** A worker has another state of an entry than the log. */
  WORKER_WRONG,
  /** A worker is not waited for by visibility = "everywhere". */
  WORKER_CUT_OFF,
  /** A worker is in touch with its leader. */
  LEADER_BACK,
  /** A worker has lost its leader: its mount is read-only. */
  LEADER_LOST,
  /** A leader does not take this worker. */
  LEADER_REFUSES,
  /** A worker and its leader have different logs. */
  DIVERGED,
  /** A workspace is mounted. */
  MOUNTED,
  /** A workspace is not mounted any more. */
  UNMOUNTED,
  /** The leader goes on without its mount. */
  NOT_MOUNTED,
  /** A worker has taken the mount of another one over. */
  TAKEOVER,
  /** A worker ends for its successor. */
  HAND_OVER,
  /** No other process takes a mount over. */
  HAND_OVER_FAILED,
  /** A worker cannot apply an entry: its mount is read-only. */
  APPLY_STOPPED,
  /** It can again. */
  APPLY_GOES_ON,
  /** A snapshot was taken. */
  SNAPSHOT,
  /** A snapshot could not be taken. */
  SNAPSHOT_FAILED,
  /** A worker goes on with a snapshot of the leader. */
  SNAPSHOT_INSTALLED,
  /** Content that nothing needs was removed. */
  COLLECTION,
  /** A collection has ended before its time. */
  COLLECTION_FAILED,
  /** Old entries were removed from the log. */
  LOG_TRIMMED,
  /** All that is stored was read. */
  SCRUB,
  /** Content is lost: reads of it fail. */
  CONTENT_LOST,
  /** A backup is complete. */
  BACKUP,
  /** A backup was given up. */
  BACKUP_FAILED,
  /** A path, or everything, was brought back to what it was. */
  RESTORED,
  /** What an agent did was undone. */
  UNDONE,
  /** The work of agents meets. */
  HAZARD,
  /** Locks are lost: what their holders write is refused. */
  LOCKS_LOST,
  /** There is no room on a disk. */
  DISK_FULL,
  /** There is room again. */
  DISK_HAS_ROOM,
  /** The disk has failed, and the daemon stops. */
  STORE_FAILED,
  /** Acknowledgements wait for a standby. */
  STANDBY_SYNCHRONOUS,
  /** A standby that is waited for does not answer. */
  STANDBY_AWAY,
  /** The leader goes on without a standby. */
  STANDBY_LEFT_OUT,
  /** A worker sends more than it may. */
  QUOTA,
  /** The lease for work in the background was acquired, taken over, lost or released. */
  LEASE,
  /** The settings were read again. */
  CONFIG_RELOADED,
  /** Settings that are wrong are not taken up. */
  CONFIG_REFUSED,
  /** Metrics are shown. */
  METRICS;

  /** The name in a line of the log, such as {@code worker_joined}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** What makes a line one of this event; fields may be added. */
  public EventMarker marker() {
    return new EventMarker(this, Map.of());
  }
}
