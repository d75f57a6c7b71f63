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
import org.jspecify.annotations.Nullable;

/**
 * Checks the paths that workers tell. A path is believed if it leads to the node that was changed.
 */
final class CheckedPath {
  /** Deeper paths are not believed: they would cost time. */
  private static final int MOST_NAMES = 128;

  /** What is below a directory with this name is the business of the tool that has made it. */
  private static final String BEADS = ".beads";

  /** The same of repositories: {@code .git}, and bare ones such as {@code origin.git}. */
  private static final String REPOSITORY = ".git";

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
    return isPath(names) ? walk(names, state) : null;
  }

  /** The node that some names lead to from the root; null if there is none. */
  static @Nullable NodeId walk(List<byte[]> names, FsState state) {
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

  /** The names of a path; one empty name if it is empty. */
  static List<byte[]> names(byte[] path) {
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
        .map(name -> new String(name, StandardCharsets.UTF_8))
        .anyMatch(name -> name.equals(BEADS) || name.endsWith(REPOSITORY));
  }
}
