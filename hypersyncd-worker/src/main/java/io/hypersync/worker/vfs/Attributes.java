package io.hypersync.worker.vfs;

import io.hypersync.model.state.Node;
import io.hypersync.model.state.NodeAttributes;
import io.hypersync.worker.fuse.protocol.FuseAttr;
import io.hypersync.worker.fuse.protocol.FuseEntry;

/**
 * Converts nodes to FUSE attributes and entries. atime is not replicated; see {@link
 * AtimeOverrides}.
 */
final class Attributes {
  private static final int BLOCK = 512;
  private static final int IO_SIZE = 64 * 1024;

  private Attributes() {}

  static FuseAttr of(Node node, long atimeNs) {
    NodeAttributes attributes = node.attributes();
    return new FuseAttr(
        node.inode(),
        attributes.size(),
        (node.allocated() + BLOCK - 1) / BLOCK,
        atimeNs,
        attributes.mtimeNs(),
        attributes.ctimeNs(),
        node.type().modeBits() | attributes.mode(),
        attributes.nlink(),
        attributes.uid(),
        attributes.gid(),
        attributes.rdev(),
        IO_SIZE);
  }

  static FuseEntry entry(Node node, long atimeNs, long nameNs, long attributesNs) {
    FuseAttr attributes = of(node, atimeNs);
    return new FuseEntry(attributes.ino(), 0, attributes, nameNs, attributesNs);
  }
}
