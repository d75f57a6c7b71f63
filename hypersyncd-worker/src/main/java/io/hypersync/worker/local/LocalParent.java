package io.hypersync.worker.local;

import io.hypersync.model.id.NodeId;

/** A directory that local names are in. */
public sealed interface LocalParent permits LocalNode, LocalParent.Replicated {
  /**
   * A replicated one: its local names are kept under its node id, so they are its own wherever it
   * is moved, by whichever host.
   */
  record Replicated(NodeId directory) implements LocalParent {}
}
