package io.hypersync.snapshot.schedule;

import io.hypersync.snapshot.Snapshot;

/** Hears what became of the requests to a {@link SnapshotPort}; called on the agent's thread. */
public interface SnapshotListener {
  /** A snapshot was taken, or what the catalog says of one was changed. */
  void snapshotTaken(Snapshot snapshot);

  /** A snapshot was removed, or was not there. */
  void snapshotRemoved(long index);

  /** All snapshots were taken out of the catalog. */
  void snapshotsSetAside();

  /** What was asked for could not be done. */
  void snapshotFailed(String why);
}
