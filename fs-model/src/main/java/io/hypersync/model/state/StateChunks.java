package io.hypersync.model.state;

import io.hypersync.model.hash.Hash;
import java.util.function.Consumer;

/**
 * The chunks that a state in memory has: bytes of its files, those without a name too, and values
 * of extended attributes (head reachability of hypersync.md 14.2).
 */
public final class StateChunks {
  private StateChunks() {}

  /** Names every chunk of one node, some of them more than once. Any thread. */
  public static void forEach(Node node, Consumer<Hash> chunk) {
    for (Xattr xattr : node.xattrs()) {
      if (xattr.value().length() > 0) {
        chunk.accept(xattr.value().hash());
      }
    }
    if (node.content() instanceof FileContent file) {
      for (Extent extent : file.extents()) {
        chunk.accept(extent.chunk());
      }
    }
  }
}
