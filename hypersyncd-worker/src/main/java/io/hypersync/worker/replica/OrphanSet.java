package io.hypersync.worker.replica;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.OrphanChanges;
import java.util.HashSet;
import java.util.Set;

/**
 * The orphans of a state, so that the status can count nodes with a name. Must be given every entry
 * behind the state that it begins with. Single-threaded.
 */
public final class OrphanSet implements OrphanChanges.Listener {
  private final Set<NodeId> orphans = new HashSet<>();

  /** The orphans of the state that a replica begins with. */
  public OrphanSet(FsState start) {
    start.orphans().forEach(orphan -> orphans.add(orphan.node()));
  }

  /** Follows the next entry. */
  public void applied(LogEntry entry, FsState before, FsState after) {
    OrphanChanges.report(entry, before, after, this);
  }

  /** How many orphans there are. */
  public int size() {
    return orphans.size();
  }

  @Override
  public void orphaned(Node node) {
    orphans.add(node.id());
  }

  @Override
  public void orphanGone(NodeId node) {
    orphans.remove(node);
  }
}
