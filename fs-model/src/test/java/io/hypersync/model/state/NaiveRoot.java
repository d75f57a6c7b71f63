package io.hypersync.model.state;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.state.ReferenceFileSystem.Inode;
import io.hypersync.model.state.ReferenceFileSystem.Piece;
import io.hypersync.model.trie.RootVersion;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.commons.codec.digest.Blake3;
import org.jspecify.annotations.Nullable;

/**
 * Computes fs_merkle_root as docs/ARCHITECTURE.md defines it, each time from scratch, from the maps
 * of a {@link ReferenceFileSystem}: keys are strings of '0' and '1', tries are sorted lists that
 * are split in two, BLAKE3 is another implementation. Uses no code of the trie, the leaves or the
 * codec.
 */
final class NaiveRoot {
  private static final int LEAF = 0;
  private static final int INNER = 1;
  private static final int STATE_V1 = 2;
  private static final int STATE_V2 = 3;

  private final ReferenceFileSystem files;
  private final RootVersion version;

  private NaiveRoot(ReferenceFileSystem files, RootVersion version) {
    this.files = files;
    this.version = version;
  }

  /** The root in this version, in hexadecimal digits. */
  static String of(ReferenceFileSystem files, RootVersion version) {
    return HexFormat.of().formatHex(new NaiveRoot(files, version).root());
  }

  private byte[] root() {
    TreeMap<String, byte[]> nodes = new TreeMap<>();
    files.inodes().forEach((id, inode) -> nodes.put(bits(bytes(id)), node(inode)));
    int kind = version == RootVersion.V1 ? STATE_V1 : STATE_V2;
    return hash(kind, trie(nodes), u64(files.nextNumber()));
  }

  private byte[] node(Inode inode) {
    boolean device = inode.type == NodeType.CHARACTER_DEVICE || inode.type == NodeType.BLOCK_DEVICE;
    return hash(
        LEAF,
        bytes(inode.id),
        u64(inode.number),
        u8(inode.type.code()),
        u32(inode.mode),
        u32(inode.uid),
        u32(inode.gid),
        u32(files.links(inode)),
        u64(inode.size),
        u64(inode.mtime),
        u64(inode.ctime),
        u64(inode.btime),
        u32(device ? inode.rdev : 0),
        bytes(inode.parent),
        xattrs(inode),
        content(inode));
  }

  private byte[] content(Inode inode) {
    return switch (inode.type) {
      case FILE -> extents(inode);
      case DIRECTORY -> entries(inode);
      case SYMLINK -> Blake3.hash(inode.target);
      case FIFO, SOCKET, CHARACTER_DEVICE, BLOCK_DEVICE -> new byte[Hash.BYTES];
    };
  }

  private byte[] xattrs(Inode inode) {
    TreeMap<String, byte[]> leaves = new TreeMap<>();
    inode.xattrs.forEach(
        (name, value) -> {
          byte[] key = name.getBytes(StandardCharsets.ISO_8859_1);
          leaves.put(bits(key), hash(LEAF, value.toBytes(), u32(files.chunkLength(value)), key));
        });
    return trie(leaves);
  }

  private byte[] entries(Inode inode) {
    TreeMap<String, byte[]> leaves = new TreeMap<>();
    inode.children.forEach(
        (name, child) -> {
          byte[] key = name.getBytes(StandardCharsets.ISO_8859_1);
          leaves.put(bits(key), hash(LEAF, bytes(child.id), u8(child.type.code()), key));
        });
    return trie(leaves);
  }

  /** The extents are the longest runs of bytes that are consecutive in one chunk. */
  private byte[] extents(Inode inode) {
    TreeMap<String, byte[]> leaves = new TreeMap<>();
    Map.Entry<Long, Piece> first = inode.pieces.firstEntry();
    while (first != null) {
      long offset = first.getKey();
      Piece piece = first.getValue();
      int length = 1;
      while (follows(piece, length, inode.pieces.get(offset + length))) {
        length++;
      }
      leaves.put(
          bits(u64(offset)),
          hash(LEAF, u64(offset), u32(length), piece.chunk().toBytes(), u32(piece.at())));
      first = inode.pieces.ceilingEntry(offset + length);
    }
    return trie(leaves);
  }

  private static boolean follows(Piece first, int by, @Nullable Piece next) {
    return next != null && next.chunk().equals(first.chunk()) && next.at() == first.at() + by;
  }

  private byte[] trie(SortedMap<String, byte[]> leaves) {
    return leaves.isEmpty() ? new byte[Hash.BYTES] : below(new ArrayList<>(leaves.entrySet()));
  }

  private byte[] below(List<Map.Entry<String, byte[]>> leaves) {
    if (leaves.size() == 1) {
      return leaves.getFirst().getValue();
    }
    String first = leaves.getFirst().getKey();
    String last = leaves.getLast().getKey();
    int bit = 0;
    while (at(first, bit) == at(last, bit)) {
      bit++;
    }
    int split = 0;
    while (at(leaves.get(split).getKey(), bit) == '0') {
      split++;
    }
    byte[] left = below(leaves.subList(0, split));
    byte[] right = below(leaves.subList(split, leaves.size()));
    if (version == RootVersion.V1) {
      return hash(INNER, left, right, u32(bit));
    }
    byte[] label = "hypersync trie inner node 2".getBytes(StandardCharsets.US_ASCII);
    byte[] key = hash(INNER, label, u32(bit));
    return Blake3.initKeyedHash(key).update(left).update(right).doFinalize(Hash.BYTES);
  }

  private static char at(String bits, int index) {
    return index < bits.length() ? bits.charAt(index) : '0';
  }

  private static String bits(byte[] key) {
    StringBuilder bits = new StringBuilder();
    for (byte b : key) {
      bits.append('1');
      for (int bit = 7; bit >= 0; bit--) {
        bits.append((b >> bit) & 1);
      }
    }
    return bits.toString();
  }

  private static byte[] hash(int kind, byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    all.write(kind);
    return Blake3.hash(all.toByteArray());
  }

  private static byte[] bytes(NodeId id) {
    return ByteBuffer.allocate(NodeId.BYTES).putLong(id.high()).putLong(id.low()).array();
  }

  private static byte[] u8(int value) {
    return new byte[] {(byte) value};
  }

  private static byte[] u32(int value) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(value).array();
  }

  private static byte[] u64(long value) {
    return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
  }
}
