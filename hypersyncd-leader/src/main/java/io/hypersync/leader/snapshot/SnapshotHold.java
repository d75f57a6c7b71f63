package io.hypersync.leader.snapshot;

import io.hypersync.snapshot.schedule.SnapshotManager;

/**
 * Keeps a snapshot for somebody on another thread who reads it: with the log behind it, or, from
 * {@link #releaseLog} on, alone. Whoever asks for it may give up before the agent has heard of it:
 * then {@link #end} comes first or last, and nothing is held. On the agent's thread only.
 */
public final class SnapshotHold {
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
   * @param index of the snapshot; 0 if there is none to hold
   */
  public SnapshotHold(long index) {
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

  /** The log is not needed any more, the chunks and pages are. */
  public void releaseLog(SnapshotManager snapshots) {
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
