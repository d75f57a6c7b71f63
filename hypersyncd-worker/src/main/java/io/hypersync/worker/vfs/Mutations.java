package io.hypersync.worker.vfs;

import io.hypersync.model.id.NodeId;
import io.hypersync.worker.intents.Mutation;

/** The way of mutations out of the vfs, from any thread; nothing here blocks. */
public interface Mutations {
  /** Whether mutations are accepted now; if not they end with EROFS (hypersync.md 6.4). */
  boolean isWritable();

  /** Hands a mutation over; its completion is called later, or at once. */
  void submit(Mutation mutation);

  /** Runs {@code done} when what is in flight on this node from here has ended (6.5). */
  void fsync(NodeId node, Runnable done);
}
