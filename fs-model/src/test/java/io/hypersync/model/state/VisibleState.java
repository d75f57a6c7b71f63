package io.hypersync.model.state;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.NodeType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Everything that a program could see in a filesystem, as lines in a fixed order. The lines are the
 * same for a state and for a {@link ReferenceFileSystem} after the same ops. Directories are listed
 * in their own order, because that order is compared, too.
 */
final class VisibleState {
  private VisibleState() {}

  /**
   * The lines of a state.
   *
   * @param chunks the bytes of its chunks, by hash
   */
  static List<String> of(FsState state, Map<Hash, byte[]> chunks) {
    List<String> lines = new ArrayList<>();
    walk(state, "", Objects.requireNonNull(state.node(FsState.ROOT)), chunks, lines);
    for (Node node : state.nodes()) {
      lines.add(describe(node.id().toString(), node, chunks));
    }
    return lines;
  }

  /** The lines of the reference. */
  static List<String> of(ReferenceFileSystem reference) {
    List<String> lines = new ArrayList<>();
    walk(reference, "", reference.root(), lines);
    Map<NodeId, ReferenceFileSystem.Inode> sorted = new TreeMap<>(reference.inodes());
    sorted.forEach((id, inode) -> lines.add(describe(id.toString(), reference, inode)));
    return lines;
  }

  private static void walk(
      FsState state, String path, Node node, Map<Hash, byte[]> chunks, List<String> lines) {
    lines.add(path + " " + node.inode());
    if (node.content() instanceof NodeContent.Directory directory) {
      for (DirEntry entry : directory.entries()) {
        String name = new String(entry.name().bytes(), StandardCharsets.ISO_8859_1);
        Node child = Objects.requireNonNull(state.lookup(node, entry.name()));
        walk(state, path + "/" + name, child, chunks, lines);
      }
    }
  }

  private static void walk(
      ReferenceFileSystem reference,
      String path,
      ReferenceFileSystem.Inode inode,
      List<String> lines) {
    lines.add(path + " " + inode.number);
    inode.children.forEach((name, child) -> walk(reference, path + "/" + name, child, lines));
  }

  private static String describe(String id, Node node, Map<Hash, byte[]> chunks) {
    NodeAttributes a = node.attributes();
    TreeMap<String, Hash> xattrs = new TreeMap<>();
    for (Xattr xattr : node.xattrs()) {
      xattrs.put(new String(xattr.name(), StandardCharsets.ISO_8859_1), xattr.value().hash());
    }
    String content =
        switch (node.content()) {
          case FileContent file -> bytes(file, chunks).toString();
          case NodeContent.Symlink(byte[] target) -> HexFormat.of().formatHex(target);
          case NodeContent.Directory _, NodeContent.Special _ -> "";
        };
    return line(
        id,
        node.type(),
        node.inode().value(),
        new int[] {a.mode(), a.uid(), a.gid(), a.nlink(), a.rdev()},
        new long[] {a.size(), a.mtimeNs(), a.ctimeNs(), a.btimeNs()},
        xattrs,
        content);
  }

  private static String describe(
      String id, ReferenceFileSystem reference, ReferenceFileSystem.Inode inode) {
    return line(
        id,
        inode.type,
        inode.number,
        new int[] {inode.mode, inode.uid, inode.gid, reference.links(inode), inode.rdev},
        new long[] {inode.size, inode.mtime, inode.ctime, inode.btime},
        inode.xattrs,
        inode.type == NodeType.FILE ? bytes(inode) : HexFormat.of().formatHex(inode.target));
  }

  private static String line(
      String id,
      NodeType type,
      long inode,
      int[] numbers,
      long[] sizeAndTimes,
      Map<String, Hash> xattrs,
      String content) {
    StringBuilder line = new StringBuilder(id).append(' ').append(type).append(' ').append(inode);
    for (int number : numbers) {
      line.append(' ').append(number);
    }
    for (long number : sizeAndTimes) {
      line.append(' ').append(number);
    }
    return line.append(xattrs).append(content).toString();
  }

  /** The bytes that are not zero, by offset: a hole and a zero byte look the same to a program. */
  private static Map<Long, Byte> bytes(FileContent content, Map<Hash, byte[]> chunks) {
    Map<Long, Byte> bytes = new TreeMap<>();
    for (Extent e : content.extents()) {
      byte[] chunk = Objects.requireNonNull(chunks.get(e.chunk()));
      for (int i = 0; i < e.length(); i++) {
        byte value = chunk[e.chunkOffset() + i];
        if (value != 0) {
          bytes.put(e.offset() + i, value);
        }
      }
    }
    return bytes;
  }

  private static String bytes(ReferenceFileSystem.Inode inode) {
    Map<Long, Byte> bytes = new TreeMap<>();
    inode.pieces.forEach(
        (position, piece) -> {
          if (piece.value() != 0) {
            bytes.put(position, piece.value());
          }
        });
    return bytes.toString();
  }
}
