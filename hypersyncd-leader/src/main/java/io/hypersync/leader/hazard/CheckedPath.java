package io.hypersync.leader.hazard;

import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.trie.PageUnreadableException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks the paths that workers tell. A path is believed if it leads to the node that was changed.
 */
final class CheckedPath {
  /** Deeper paths are not believed: they would cost time. */
  private static final int MOST_NAMES = 128;

  /** What is below directories with these names is the business of the tools that made them. */
  private static final Set<String> EXEMPT = Set.of(".git", ".beads");

  private static final byte SLASH = '/';
  private static final byte[] UNKNOWN = {};

  private CheckedPath() {}

  /** The path if it leads to this node, else nothing. A node without a name keeps its last one. */
  static byte[] verified(byte[] path, NodeId node, FsState state) {
    if (path.length == 0) {
      return UNKNOWN;
    }
    Node target = state.node(node);
    boolean isNameless = target != null && target.isOrphan();
    if (isNameless && !isPath(names(path))) {
      return UNKNOWN;
    }
    try {
      return isNameless || node.equals(walk(path, state)) ? path : UNKNOWN;
    } catch (PageUnreadableException e) { // of a directory on the way, which the call does not need
      return UNKNOWN;
    }
  }

  private static @Nullable NodeId walk(byte[] path, FsState state) {
    List<byte[]> names = names(path);
    if (!isPath(names)) {
      return null;
    }
    Node at = state.node(FsState.ROOT);
    for (byte[] name : names) {
      if (at == null || at.type() != NodeType.DIRECTORY) {
        return null;
      }
      at = state.lookup(at, Name.of(name));
    }
    return at == null ? null : at.id();
  }

  private static boolean isPath(List<byte[]> names) {
    return names.size() <= MOST_NAMES
        && names.stream()
            .allMatch(name -> Name.isWellFormed(name) && name.length <= Name.MAX_BYTES);
  }

  private static List<byte[]> names(byte[] path) {
    List<byte[]> names = new ArrayList<>();
    int from = 0;
    for (int i = 0; i <= path.length; i++) {
      if (i == path.length || path[i] == SLASH) {
        names.add(Arrays.copyOfRange(path, from, i));
        from = i + 1;
      }
    }
    return names;
  }

  /** Whether nobody wants to hear of changes there. */
  static boolean isExempt(byte[] path) {
    return names(path).stream()
        .anyMatch(name -> EXEMPT.contains(new String(name, StandardCharsets.UTF_8)));
  }
}
