package io.hypersync.leader.restore;

import io.hypersync.snapshot.schedule.SnapshotManager;

/**
 * Keeps the snapshot that a restore reads from: with the log until the plan is made, then alone,
 * because what is restored needs the chunks only. Whoever asks for it may give up before the agent
 * has heard of it: then {@link #end} comes first or last, and nothing is held. On the agent's
 * thread only.
 */
public final class RestoreHold {
  private final long index;
  private Phase phase = Phase.NEW;

  private enum Phase {
    NEW,
    LOG,
    CHUNKS,
    ENDED
  }

  /**
   * A hold that has not begun.
   *
   * @param index of the snapshot; 0 if the state is read from the log alone, and nothing is held
   */
  public RestoreHold(long index) {
    this.index = index;
  }

  /** Of the snapshot. */
  public long index() {
    return index;
  }

  /**
   * Holds the snapshot and the log behind it, unless the asker has given up.
   *
   * @return false if nothing is held
   */
  public boolean begin(SnapshotManager snapshots) {
    if (phase == Phase.NEW && snapshots.hold(index)) {
      phase = Phase.LOG;
    }
    return phase == Phase.LOG;
  }

  /** The plan is made: the log is not needed any more. */
  public void planned(SnapshotManager snapshots) {
    if (phase == Phase.LOG) {
      snapshots.releaseLog(index);
      phase = Phase.CHUNKS;
    }
  }

  /** Holds nothing any more, and never again. */
  public void end(SnapshotManager snapshots) {
    if (phase == Phase.LOG) {
      snapshots.release(index);
    } else if (phase == Phase.CHUNKS) {
      snapshots.releaseChunks(index);
    }
    phase = Phase.ENDED;
  }
}
