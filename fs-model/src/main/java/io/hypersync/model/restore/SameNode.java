package io.hypersync.model.restore;

import io.hypersync.model.op.FsOp.SetAttributes;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.NodeAttributes;
import io.hypersync.model.state.NodeContent;
import io.hypersync.model.trie.RootVersion;
import java.util.Arrays;

/** Compares two nodes in what a restore brings back: neither names, ctime nor btime. */
public final class SameNode {
  private SameNode() {}

  static boolean isSameContent(Node a, Node b, RootVersion version) {
    if (a.type() != b.type()) {
      return false;
    }
    return switch (b.content()) {
      case NodeContent.Directory _ -> true;
      case NodeContent.Symlink(byte[] target) ->
          a.content() instanceof NodeContent.Symlink(byte[] other) && Arrays.equals(target, other);
      case NodeContent.Special _ -> a.attributes().rdev() == b.attributes().rdev();
      default ->
          a.attributes().size() == b.attributes().size()
              && a.content().root(version).equals(b.content().root(version));
    };
  }

  static boolean isSameXattrs(Node a, Node b, RootVersion version) {
    return a.xattrs().root(version).equals(b.xattrs().root(version));
  }

  /** The bits of {@link SetAttributes} for what differs. */
  static int mask(Node from, Node to) {
    NodeAttributes a = from.attributes();
    NodeAttributes b = to.attributes();
    return (a.mode() == b.mode() ? 0 : SetAttributes.MODE)
        | (a.uid() == b.uid() ? 0 : SetAttributes.UID)
        | (a.gid() == b.gid() ? 0 : SetAttributes.GID)
        | (a.mtimeNs() == b.mtimeNs() ? 0 : SetAttributes.MTIME);
  }

  /** Whether a restore would change nothing but names. */
  public static boolean isSame(Node a, Node b, RootVersion version) {
    return mask(a, b) == 0 && isSameContent(a, b, version) && isSameXattrs(a, b, version);
  }

  /** The same, whatever the mtimes are. */
  public static boolean isSameButTime(Node a, Node b, RootVersion version) {
    return (mask(a, b) & ~SetAttributes.MTIME) == 0
        && isSameContent(a, b, version)
        && isSameXattrs(a, b, version);
  }
}
