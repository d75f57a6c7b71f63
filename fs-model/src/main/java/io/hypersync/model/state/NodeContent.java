package io.hypersync.model.state;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.trie.MerkleTrie;

/** What a node holds, by its type. */
public sealed interface NodeContent
    permits FileContent, NodeContent.Directory, NodeContent.Symlink, NodeContent.Special {

  /** The hash that the node record carries for it. */
  Hash root();

  /**
   * A directory.
   *
   * @param parent the directory that holds it; the root is its own parent
   */
  record Directory(NodeId parent, MerkleTrie<DirEntry> entries) implements NodeContent {
    @Override
    public Hash root() {
      return entries.root();
    }
  }

  /** A symbolic link; the target is opaque and must not be changed (hypersync.md 5.2.1). */
  record Symlink(byte[] target) implements NodeContent {
    @Override
    public Hash root() {
      return Blake3.hash(target);
    }
  }

  /** A FIFO, socket or device: nothing but its attributes. */
  record Special() implements NodeContent {
    @Override
    public Hash root() {
      return Hash.ZERO;
    }
  }
}
