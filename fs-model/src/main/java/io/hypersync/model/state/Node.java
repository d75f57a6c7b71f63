package io.hypersync.model.state;

import io.hypersync.model.codec.CanonicalReader;
import io.hypersync.model.codec.CanonicalWriter;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.trie.Leaf;
import io.hypersync.model.trie.MerkleTrie;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageReader;
import io.hypersync.model.trie.PageWalker;
import io.hypersync.model.trie.PageWriter;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.model.trie.TrieKey;
import java.util.Objects;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A filesystem object (hypersync.md 7.1). Immutable; a change creates a new one. Canonical form, as
 * hashed; integers are big-endian:
 *
 * <pre>
 *   0          16          24        25         29        33        37          41
 *   +----------+-----------+---------+----------+---------+---------+-----------+
 *   | id 16 B  | inode u64 | type u8 | mode u32 | uid u32 | gid u32 | nlink u32 |
 *   +----------+-----------+---------+----------+---------+---------+-----------+
 *   41         49          57          65          73         77             93
 *   +----------+-----------+-----------+-----------+----------+--------------+
 *   | size u64 | mtime i64 | ctime i64 | btime i64 | rdev u32 | parent 16 B  |
 *   +----------+-----------+-----------+-----------+----------+--------------+
 *   93                     125                     157
 *   +----------------------+-----------------------+
 *   | xattr root 32 B      | content root 32 B     |
 *   +----------------------+-----------------------+
 * </pre>
 *
 * <p>The parent field is the parent's id for a directory, else zeros. The content root is the root
 * of the extents or of the directory entries, BLAKE3 of a symlink's target, or zeros.
 */
public final class Node extends Leaf {
  private static final int MODE_BITS = 12;

  /** The form in pages up to the first trie. */
  private static final int FIXED_BYTES = NodeId.BYTES + 8 + 1 + 2 + 4 * 3 + 8 * 3;

  private final NodeId id;
  private final long inode;
  private final NodeContent content;
  private final MerkleTrie<Xattr> xattrs;

  // The attributes are inlined: a separate object would cost another 16 bytes for every node. Type
  // and mode use the smallest types that fit, which makes a node 80 bytes instead of 88: a mode has
  // 12 bits, and FsOp rejects all others.
  private final byte type;
  private final short mode;
  private final int uid;
  private final int gid;
  private final int nlink;
  private final long size;
  private final long mtimeNs;
  private final long ctimeNs;
  private final long btimeNs;
  private final int rdev;

  Node(
      NodeId id,
      long inode,
      NodeType type,
      NodeAttributes attributes,
      NodeContent content,
      MerkleTrie<Xattr> xattrs) {
    this.id = id;
    this.inode = inode;
    this.type = (byte) type.code();
    this.content = content;
    this.xattrs = xattrs;
    assert attributes.mode() >>> MODE_BITS == 0 : attributes; // FsOp checks it
    this.mode = (short) attributes.mode();
    this.uid = attributes.uid();
    this.gid = attributes.gid();
    this.nlink = attributes.nlink();
    this.size = attributes.size();
    this.mtimeNs = attributes.mtimeNs();
    this.ctimeNs = attributes.ctimeNs();
    this.btimeNs = attributes.btimeNs();
    this.rdev = attributes.rdev();
  }

  /** The node's identity, kept across renames. */
  public NodeId id() {
    return id;
  }

  /** The inode number, st_ino, which is the same on every worker. */
  public InodeNo inode() {
    return new InodeNo(inode);
  }

  public NodeType type() {
    return Objects.requireNonNull(NodeType.ofCode(type));
  }

  /** Mode, owner, link count, size, times and device number, as a new object. */
  public NodeAttributes attributes() {
    return new NodeAttributes(mode, uid, gid, nlink, size, mtimeNs, ctimeNs, btimeNs, rdev);
  }

  /** The content: extents, directory entries or symlink target. */
  public NodeContent content() {
    return content;
  }

  /** The extended attributes, in bytewise order of their names. */
  public MerkleTrie<Xattr> xattrs() {
    return xattrs;
  }

  /** Whether no name leads to this node: it was unlinked, or made by O_TMPFILE and never linked. */
  public boolean isOrphan() {
    return nlink == 0;
  }

  /** The number of bytes of a file that extents cover, for st_blocks; 0 for other types. */
  public long allocated() {
    return content instanceof FileContent file ? file.allocated() : 0;
  }

  Node with(NodeAttributes newAttributes) {
    return new Node(id, inode, type(), newAttributes, content, xattrs);
  }

  Node with(NodeContent newContent) {
    return new Node(id, inode, type(), attributes(), newContent, xattrs);
  }

  Node with(MerkleTrie<Xattr> newXattrs) {
    return new Node(id, inode, type(), attributes(), content, newXattrs);
  }

  @Override
  public TrieKey key() {
    return TrieKey.of(id.high(), id.low());
  }

  @Override
  protected void encode(CanonicalWriter out, RootVersion version) {
    NodeId parent =
        content instanceof NodeContent.Directory directory ? directory.parent() : LogEntry.NO_NODE;
    out.node(id)
        .u64(inode)
        .u8(type)
        .u32(mode)
        .u32(uid)
        .u32(gid)
        .u32(nlink)
        .u64(size)
        .u64(mtimeNs)
        .u64(ctimeNs)
        .u64(btimeNs)
        .u32(rdev)
        .node(parent)
        .hash(xattrs.root(version))
        .hash(content.root(version));
  }

  @Override
  protected int pageBytes() {
    return FIXED_BYTES
        + PageWriter.trieBytes(xattrs)
        + switch (content) {
          case FileContent file -> 2 * Long.BYTES + PageWriter.trieBytes(file.extents());
          case NodeContent.Directory directory ->
              NodeId.BYTES + PageWriter.trieBytes(directory.entries());
          case NodeContent.Symlink(byte[] target) -> Short.BYTES + target.length;
          case NodeContent.Special _ -> Integer.BYTES;
        };
  }

  /**
   * The form in pages; integers are big-endian. Tries are as {@link PageWriter} says.
   *
   * <pre>
   *   0          16          24        25         27        31        35          39
   *   +----------+-----------+---------+----------+---------+---------+-----------+
   *   | id 16 B  | inode u64 | type u8 | mode u16 | uid u32 | gid u32 | nlink u32 |
   *   +----------+-----------+---------+----------+---------+---------+-----------+
   *   39          47          55          63
   *   +-----------+-----------+-----------+---------------------+-----------+
   *   | mtime i64 | ctime i64 | btime i64 | trie of the xattrs  | content   |
   *   +-----------+-----------+-----------+---------------------+-----------+
   *
   *   content of a file       | size u64 | allocated u64 | trie of the extents |
   *   content of a directory  | parent 16 B | trie of the entries |
   *   content of a symlink    | length u16 | target |
   *   content of any other    | rdev u32 |
   * </pre>
   */
  @Override
  protected void writePage(CanonicalWriter out, PageWriter pages) {
    out.node(id)
        .u64(inode)
        .u8(type)
        .u16(mode)
        .u32(uid)
        .u32(gid)
        .u32(nlink)
        .u64(mtimeNs)
        .u64(ctimeNs)
        .u64(btimeNs);
    pages.trie(out, xattrs, PageKind.XATTRS);
    switch (content) {
      case FileContent file -> {
        out.u64(size).u64(file.allocated());
        pages.trie(out, file.extents(), PageKind.EXTENTS);
      }
      case NodeContent.Directory directory -> {
        out.node(directory.parent());
        pages.trie(out, directory.entries(), PageKind.ENTRIES);
      }
      case NodeContent.Symlink(byte[] target) -> out.u16(target.length).raw(target);
      case NodeContent.Special _ -> out.u32(rdev);
    }
  }

  /**
   * Reads the form in pages.
   *
   * @param like the state that may have much in common with what is read, or null
   */
  static Node readPage(CanonicalReader in, PageReader pages, @Nullable FsState like)
      throws DecodeException, PageMissingException {
    NodeId id = in.node();
    Node same = like == null ? null : like.node(id);
    long inode = in.u64();
    NodeType type = NodeType.ofCode(in.u8());
    int mode = in.u16();
    if (type == null || mode >>> MODE_BITS != 0) {
      throw new DecodeException("node " + inode + " has no known type, or mode " + mode);
    }
    int uid = in.u32();
    int gid = in.u32();
    int nlink = in.u32();
    long mtimeNs = in.u64();
    long ctimeNs = in.u64();
    long btimeNs = in.u64();
    MerkleTrie<Xattr> xattrs =
        pages.trie(
            in,
            PageKind.XATTRS,
            (xattr, _) -> Xattr.readPage(xattr),
            same == null ? MerkleTrie.empty() : same.xattrs);
    long size = 0;
    int rdev = 0;
    NodeContent content =
        switch (type) {
          case FILE -> {
            size = in.size();
            yield FileContent.readPage(
                in,
                pages,
                same != null && same.content instanceof FileContent file
                    ? file.extents()
                    : MerkleTrie.empty());
          }
          case DIRECTORY ->
              new NodeContent.Directory(
                  in.node(),
                  pages.trie(
                      in,
                      PageKind.ENTRIES,
                      (entry, _) -> DirEntry.readPage(entry),
                      same != null && same.content instanceof NodeContent.Directory directory
                          ? directory.entries()
                          : MerkleTrie.empty()));
          case SYMLINK -> {
            byte[] target = in.raw(in.u16());
            if (target.length == 0 || target.length > FsOp.MakeSymlink.MAX_TARGET_BYTES) {
              throw new DecodeException("a symlink's target of " + target.length + " bytes");
            }
            size = target.length;
            yield new NodeContent.Symlink(target);
          }
          case FIFO, SOCKET, CHARACTER_DEVICE, BLOCK_DEVICE -> {
            rdev = in.u32();
            yield new NodeContent.Special();
          }
        };
    NodeAttributes attributes =
        new NodeAttributes(mode, uid, gid, nlink, size, mtimeNs, ctimeNs, btimeNs, rdev);
    return new Node(id, inode, type, attributes, content, xattrs);
  }

  /** Walks over what {@link #writePage} wrote: the chunks and pages of one node. */
  static void walkPage(CanonicalReader in, PageWalker pages) throws DecodeException {
    walkPage(in, pages, _ -> pages);
  }

  /**
   * The same, with the chunks and pages of a node without a name told to somebody else.
   *
   * @param orphans whom, by the node's change time
   */
  static void walkPage(CanonicalReader in, PageWalker named, LongFunction<PageWalker> orphans)
      throws DecodeException {
    in.skip(NodeId.BYTES + Long.BYTES);
    int code = in.u8();
    NodeType type = NodeType.ofCode(code);
    if (type == null) {
      throw new DecodeException("a node of the unknown type " + code);
    }
    in.skip(Short.BYTES + 2 * Integer.BYTES);
    int nlink = in.u32();
    var _ = in.u64(); // mtime
    long ctimeNs = in.u64();
    var _ = in.u64(); // btime
    PageWalker pages = nlink == 0 ? orphans.apply(ctimeNs) : named;
    var _ = pages.trie(in, PageKind.XATTRS, Xattr::walkPage);
    switch (type) {
      case FILE -> {
        in.skip(2 * Long.BYTES);
        var _ = pages.trie(in, PageKind.EXTENTS, Extent::walkPage);
      }
      case DIRECTORY -> {
        in.skip(NodeId.BYTES);
        var _ = pages.trie(in, PageKind.ENTRIES, DirEntry::walkPage);
      }
      case SYMLINK -> in.skip(in.u16());
      case FIFO, SOCKET, CHARACTER_DEVICE, BLOCK_DEVICE -> in.skip(Integer.BYTES);
    }
  }
}
