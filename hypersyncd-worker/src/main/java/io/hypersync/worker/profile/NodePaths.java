package io.hypersync.worker.profile;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.state.DirEntry;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.NodeContent;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the paths of nodes. A file does not record its directory, so this walks the tree until all
 * wanted nodes are found: up to a second for a million files, hence not on the agent's thread.
 */
public final class NodePaths {
  private record Directory(Node node, String prefix) {}

  private NodePaths() {}

  /**
   * One path for each of these nodes that has a name, relative to the root and without a leading
   * slash; the root's path is empty.
   */
  public static Map<NodeId, String> of(FsState state, Set<NodeId> wanted) {
    Map<NodeId, String> found = new HashMap<>();
    Set<NodeId> left = new HashSet<>(wanted);
    Node root = state.node(FsState.ROOT);
    if (root == null) {
      throw new IllegalStateException("a filesystem without a root");
    }
    if (left.remove(FsState.ROOT)) {
      found.put(FsState.ROOT, "");
    }
    ArrayDeque<Directory> ahead = new ArrayDeque<>();
    ahead.add(new Directory(root, ""));
    while (!left.isEmpty() && !ahead.isEmpty()) {
      Directory directory = ahead.removeFirst();
      if (!(directory.node.content() instanceof NodeContent.Directory content)) {
        continue;
      }
      for (DirEntry entry : content.entries()) {
        if (left.remove(entry.node())) {
          found.put(entry.node(), directory.prefix + entry.name());
        }
        Node node = entry.type() == NodeType.DIRECTORY ? state.node(entry.node()) : null;
        if (node != null) {
          ahead.addLast(new Directory(node, directory.prefix + entry.name() + "/"));
        }
      }
    }
    return found;
  }

  /** The path of a subject, or null if its node is not among the found ones. */
  public static @Nullable String path(MutationTarget subject, Map<NodeId, String> found) {
    String path = found.get(subject.node());
    if (path == null || subject.name() == null) {
      return path;
    }
    return path.isEmpty() ? subject.name().toString() : path + "/" + subject.name();
  }
}
