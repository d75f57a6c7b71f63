package io.hypersync.worker.coherence;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import org.jspecify.annotations.Nullable;

/**
 * A name in a directory as the kernel may have it cached, whether it leads to a node or is missing.
 *
 * @param parent the directory
 * @param directory the directory's inode number
 * @param name the name in it
 */
public record CachedName(NodeId parent, InodeNo directory, Name name) {
  /** The node that it leads to in a state, or null. */
  @Nullable Node target(FsState state) {
    Node above = state.node(parent);
    return above == null ? null : state.lookup(above, name);
  }
}
