package io.hypersync.leader.daemon;

import io.hypersync.leader.recovery.ReplaySaver;
import io.hypersync.model.state.FsState;
import io.hypersync.snapshot.daemon.SnapshotThread;

/**
 * Stores states on a thread with room for the recursion that writes their pages; the replay waits
 * for it.
 */
public final class SnapshotsOnThread implements ReplaySaver {
  private final ReplaySaver saver;

  /** Has another saver do the work. */
  public SnapshotsOnThread(ReplaySaver saver) {
    this.saver = saver;
  }

  @Override
  public boolean isDue(long index) {
    return saver.isDue(index);
  }

  @Override
  public void save(FsState state, long index, long lastTimeNs, long weight) {
    SnapshotThread.runDeep(
        "leader-replay-snapshot", () -> saver.save(state, index, lastTimeNs, weight));
  }
}
