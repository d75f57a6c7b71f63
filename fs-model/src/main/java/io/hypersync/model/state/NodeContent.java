package io.hypersync.model.state;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.trie.MerkleTrie;
import io.hypersync.model.trie.RootVersion;

/** The content of a node, by its type. Immutable. */
public sealed interface NodeContent
    permits FileContent, NodeContent.Directory, NodeContent.Symlink, NodeContent.Special {

  /** The content root in the canonical form of {@link Node}. */
  Hash root(RootVersion version);

  /**
   * The content of a directory.
   *
   * @param parent the directory that holds it; the root is its own parent
   * @param entries the directory entries, in bytewise order of their names
   */
  record Directory(NodeId parent, MerkleTrie<DirEntry> entries) implements NodeContent {
    @Override
    public Hash root(RootVersion version) {
      return entries.root(version);
    }
  }

  /**
   * The content of a symbolic link; the target is opaque bytes and must not be changed
   * (hypersync.md 5.2.1).
   */
  record Symlink(byte[] target) implements NodeContent {
    @Override
    public Hash root(RootVersion version) {
      return Blake3.hash(target);
    }
  }

  /** The content of a FIFO, socket or device, which has only attributes. */
  record Special() implements NodeContent {
    @Override
    public Hash root(RootVersion version) {
      return Hash.ZERO;
    }
  }
}
