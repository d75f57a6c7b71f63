package io.hypersync.snapshot.schedule;

import io.hypersync.model.snapshot.Manifest;
import io.hypersync.snapshot.Snapshot;

/**
 * Takes and removes snapshots off the agent's thread, one after the other. Each call is answered
 * once, by a method of {@link SnapshotManager}, unless the replica stops.
 */
public interface SnapshotPort {
  /** A port for replicas that take no snapshots. */
  SnapshotPort NONE =
      new SnapshotPort() {
        @Override
        public void take(Manifest manifest, long after, String name) {
          throw new IllegalStateException("this replica takes no snapshots");
        }

        @Override
        public void measure(Manifest newest) {
          // nobody asks how much of the state could be dropped
        }

        @Override
        public void change(Snapshot snapshot) {
          throw new IllegalStateException("this replica has no snapshots");
        }

        @Override
        public void remove(long index) {
          throw new IllegalStateException("this replica has no snapshots");
        }

        @Override
        public void setAside() {
          throw new IllegalStateException("this replica has no snapshots");
        }
      };

  /**
   * Takes a snapshot.
   *
   * @param manifest of a state whose last entry is durable
   * @param after index of the snapshot before, 0 for none: a leader makes sure that chunks of
   *     inline payloads behind it are in the chunk store
   * @param name what it is called; may be empty
   */
  void take(Manifest manifest, long after, String name);

  /**
   * Measures what of a state is in no snapshot.
   *
   * @param newest of the newest state, durable or not
   */
  void measure(Manifest newest);

  /**
   * Replaces what the catalog says of a snapshot that it has: its name, or whether it is pinned.
   */
  void change(Snapshot snapshot);

  /** Removes a snapshot from the catalog. */
  void remove(long index);

  /** Takes all snapshots out of the catalog, and keeps them beside it. */
  void setAside();
}
