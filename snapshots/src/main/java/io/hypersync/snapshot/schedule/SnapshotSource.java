package io.hypersync.snapshot.schedule;

import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.snapshot.Manifest;

/** The newest state of a replica, of which a snapshot can be taken. */
public interface SnapshotSource {
  /** Index of the last entry that the state has; 0 for the empty filesystem. */
  long index();

  /** The manifest of the state, which only refers to it. */
  Manifest manifest(WorkspaceId workspace);

  /** A snapshot of the present state was decided: whatever goes with it is to be kept now. */
  default void decided() {}

  /** Whether so much of the state is in no snapshot that one is due at once. */
  default boolean takesTooMuch() {
    return false;
  }
}
