package io.hypersync.model.state;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.FsOp.SetAttributes;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.op.XattrMode;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A simple mutable implementation of all ops, to compare with the state machine: sorted maps for
 * directories and for the bytes of files; links are counted by searching for them. It shares
 * nothing with the state machine but the ops, so where the two disagree, one of them is wrong.
 */
final class ReferenceFileSystem {
  /** A byte of a file, and its place: the chunk and the offset in it. */
  record Piece(byte value, Hash chunk, int at) {}

  /** A node of any type: its attributes and its content. */
  static final class Inode {
    final NodeId id;
    final NodeType type;
    final long number;
    final Map<String, Inode> children = new TreeMap<>();
    final Map<String, Hash> xattrs = new TreeMap<>();

    /** The bytes by offset; offsets without an entry are holes. */
    final TreeMap<Long, Piece> pieces = new TreeMap<>();

    /** Target of a symbolic link; empty for other types. */
    byte[] target = {};

    /** For a directory, the directory that holds it, or did before it was removed; else zeros. */
    NodeId parent = new NodeId(0, 0);

    long size;
    int mode;
    int uid;
    int gid;
    int rdev;
    long mtime;
    long ctime;
    long btime;

    Inode(NodeId id, NodeType type, long number) {
      this.id = id;
      this.type = type;
      this.number = number;
    }

    boolean isDirectory() {
      return type == NodeType.DIRECTORY;
    }
  }

  private static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    final Errno errno;

    Refused(Errno errno) {
      this.errno = errno;
    }
  }

  private final Map<NodeId, Inode> inodes = new HashMap<>();
  private final Map<Hash, byte[]> chunks;
  private final Inode root = new Inode(FsState.ROOT, NodeType.DIRECTORY, 1);
  private long nextNumber = 2;

  /**
   * An empty filesystem.
   *
   * @param chunks where the bytes of written chunks are looked up
   */
  ReferenceFileSystem(Map<Hash, byte[]> chunks) {
    this.chunks = chunks;
    root.mode = 0755;
    root.parent = FsState.ROOT;
    inodes.put(FsState.ROOT, root);
  }

  /** All inodes, orphans included. */
  Map<NodeId, Inode> inodes() {
    return inodes;
  }

  /** The inode number of the next new inode. */
  long nextNumber() {
    return nextNumber;
  }

  /** The length of a chunk, in bytes. */
  int chunkLength(Hash chunk) {
    return chunks.get(chunk).length;
  }

  Inode root() {
    return root;
  }

  /**
   * The link count: the number of names; for a directory 2 plus one per subdirectory; 0 for an
   * orphan.
   */
  int links(Inode inode) {
    int names = inode == root ? 1 : 0;
    for (Inode directory : inodes.values()) {
      for (Inode child : directory.children.values()) {
        names += child == inode ? 1 : 0;
      }
    }
    if (names == 0 || !inode.isDirectory()) {
      return names;
    }
    return 2 + (int) inode.children.values().stream().filter(Inode::isDirectory).count();
  }

  /**
   * Applies an op.
   *
   * @return null if it succeeded; otherwise the errno, and nothing has changed
   */
  @Nullable Errno perform(FsOp op, Stamp stamp) {
    try {
      switch (op) {
        case FsOp.CreateFile c ->
            add(c.parent(), c.name(), NodeType.FILE, c.mode(), c.uid(), c.gid(), stamp);
        case FsOp.MakeDir m ->
            add(m.parent(), m.name(), NodeType.DIRECTORY, m.mode(), m.uid(), m.gid(), stamp);
        case FsOp.MakeSymlink m -> {
          Inode inode = add(m.parent(), m.name(), NodeType.SYMLINK, 0777, m.uid(), m.gid(), stamp);
          inode.target = m.target();
          inode.size = m.target().length;
        }
        case FsOp.MakeNode m -> makeNode(m, stamp);
        case FsOp.Link link -> link(link, stamp.timeNs());
        case FsOp.Unlink(NodeId parent, Name name) -> unlink(parent, name, stamp.timeNs());
        case FsOp.RemoveDir(NodeId parent, Name name) -> rmdir(parent, name, stamp.timeNs());
        case FsOp.Rename rename -> rename(rename, stamp.timeNs());
        case FsOp.Write write -> write(write, stamp.timeNs());
        case FsOp.Truncate truncate -> truncate(truncate, stamp.timeNs());
        case SetAttributes set -> setAttributes(set, stamp.timeNs());
        case FsOp.SetXattr set -> setXattr(set, stamp.timeNs());
        case FsOp.RemoveXattr(NodeId node, byte[] name) -> {
          Inode inode = inode(node);
          refuseIf(inode.xattrs.remove(key(name)) == null, Errno.ENODATA);
          inode.ctime = stamp.timeNs();
        }
        case FsOp.ReapOrphans reap -> reap(reap);
        case FsOp.Allocate allocate -> allocate(allocate, stamp.timeNs());
        case FsOp.CopyRange copy -> copy(copy, stamp.timeNs());
        case FsOp.MakeTemporary(NodeId parent, int mode, int uid, int gid) ->
            inode(directory(parent), NodeType.FILE, mode, uid, gid, stamp);
        case FsOp.LinkTemporary(NodeId node, NodeId parent, Name name) ->
            link(inode(node), parent, name, stamp.timeNs());
        case FsOp.RestoreState _ -> throw new Refused(Errno.EINVAL); // RestoreStateTest
      }
      return null;
    } catch (Refused e) {
      return e.errno;
    }
  }

  private Inode add(
      NodeId parentId, Name name, NodeType type, int mode, int uid, int gid, Stamp stamp)
      throws Refused {
    Inode parent = directory(parentId);
    refuseIf(parent.children.containsKey(key(name)), Errno.EEXIST);
    Inode inode = inode(parent, type, mode, uid, gid, stamp);
    put(parent, name, inode, stamp.timeNs());
    moved(inode, parent);
    return inode;
  }

  private Inode inode(Inode parent, NodeType type, int mode, int uid, int gid, Stamp stamp) {
    Inode inode = new Inode(stamp.newNode(), type, nextNumber++);
    inode.mode = mode;
    inode.uid = uid;
    inode.gid = gid;
    if ((parent.mode & 02000) != 0) {
      inode.gid = parent.gid;
      inode.mode |= inode.isDirectory() ? 02000 : 0;
    }
    inode.mtime = stamp.timeNs();
    inode.ctime = stamp.timeNs();
    inode.btime = stamp.timeNs();
    inodes.put(stamp.newNode(), inode);
    return inode;
  }

  private void makeNode(FsOp.MakeNode m, Stamp stamp) throws Refused {
    Inode inode = add(m.parent(), m.name(), m.type(), m.mode(), m.uid(), m.gid(), stamp);
    if (m.type() == NodeType.CHARACTER_DEVICE || m.type() == NodeType.BLOCK_DEVICE) {
      inode.rdev = m.rdev();
    }
  }

  private void link(FsOp.Link link, long time) throws Refused {
    Inode inode = inode(link.node());
    boolean gone = links(inode) == 0 && !inode.isDirectory();
    Inode parent = directory(link.newParent());
    refuseIf(gone && !parent.children.containsKey(key(link.newName())), Errno.ENOENT);
    link(inode, link.newParent(), link.newName(), time);
  }

  private void link(Inode inode, NodeId parentId, Name name, long time) throws Refused {
    Inode parent = directory(parentId);
    refuseIf(parent.children.containsKey(key(name)), Errno.EEXIST);
    refuseIf(inode.isDirectory(), Errno.EPERM);
    put(parent, name, inode, time);
    inode.ctime = time;
  }

  private void unlink(NodeId parentId, Name name, long time) throws Refused {
    Inode parent = directory(parentId);
    Inode inode = child(parent, name);
    refuseIf(inode.isDirectory(), Errno.EISDIR);
    take(parent, name, time);
    inode.ctime = time;
  }

  private void rmdir(NodeId parentId, Name name, long time) throws Refused {
    Inode parent = directory(parentId);
    Inode inode = child(parent, name);
    refuseIf(!inode.isDirectory(), Errno.ENOTDIR);
    refuseIf(!inode.children.isEmpty(), Errno.ENOTEMPTY);
    take(parent, name, time);
    inode.ctime = time;
  }

  private void rename(FsOp.Rename op, long time) throws Refused {
    Inode from = directory(op.parent());
    Inode to = directory(op.newParent());
    Inode source = child(from, op.name());
    Inode target = to.children.get(key(op.newName()));
    boolean exchange = op.mode() == RenameMode.EXCHANGE;
    refuseIf(op.mode() == RenameMode.NO_REPLACE && target != null, Errno.EEXIST);
    refuseIf(exchange && target == null, Errno.ENOENT);
    refuseIf(holds(source, to), Errno.EINVAL);
    if (target != null) {
      refuseIf(holds(target, from), exchange ? Errno.EINVAL : Errno.ENOTEMPTY);
      if (target == source) {
        return;
      }
      if (exchange) {
        put(from, op.name(), target, time);
        moved(target, from);
      } else {
        refuseIf(source.isDirectory() && !target.isDirectory(), Errno.ENOTDIR);
        refuseIf(!source.isDirectory() && target.isDirectory(), Errno.EISDIR);
        refuseIf(!target.children.isEmpty(), Errno.ENOTEMPTY);
      }
      target.ctime = time;
    }
    if (!exchange) {
      take(from, op.name(), time);
    }
    put(to, op.newName(), source, time);
    moved(source, to);
    source.ctime = time;
  }

  private static void moved(Inode inode, Inode parent) {
    if (inode.isDirectory()) {
      inode.parent = parent.id;
    }
  }

  private void write(FsOp.Write op, long time) throws Refused {
    Inode inode = file(op.node());
    refuseIf(op.mode() == WriteMode.APPEND && op.offset() != inode.size, Errno.EINVAL);
    refuseIf(op.length() > Long.MAX_VALUE - op.offset(), Errno.EFBIG);
    long position = op.offset();
    for (ChunkRef chunk : op.chunks()) {
      byte[] bytes = chunks.get(chunk.hash());
      for (int i = 0; i < bytes.length; i++) {
        inode.pieces.put(position++, new Piece(bytes[i], chunk.hash(), i));
      }
    }
    inode.size = Math.max(inode.size, position);
    contentChanged(inode, op.killPrivileges(), time);
  }

  private void truncate(FsOp.Truncate op, long time) throws Refused {
    Inode inode = file(op.node());
    inode.pieces.tailMap(op.size()).clear();
    inode.size = op.size();
    contentChanged(inode, op.killPrivileges(), time);
  }

  private void allocate(FsOp.Allocate op, long time) throws Refused {
    Inode inode = inode(op.node());
    refuseIf(inode.isDirectory(), Errno.EISDIR);
    refuseIf(inode.type != NodeType.FILE, Errno.ENODEV);
    refuseIf(op.length() > Long.MAX_VALUE - op.offset(), Errno.EFBIG);
    long from = op.offset();
    long to = from + op.length();
    switch (op.mode()) {
      case EXTEND -> inode.size = Math.max(inode.size, to);
      case KEEP_SIZE -> {}
      case PUNCH_HOLE, ZERO_RANGE_KEEP_SIZE -> inode.pieces.subMap(from, to).clear();
      case ZERO_RANGE -> {
        inode.size = Math.max(inode.size, to);
        inode.pieces.subMap(from, to).clear();
      }
    }
    contentChanged(inode, op.killPrivileges(), time);
  }

  private void copy(FsOp.CopyRange op, long time) throws Refused {
    Inode source = file(op.source());
    Inode target = file(op.target());
    long from = op.sourceOffset();
    long to = op.targetOffset();
    long length = op.length();
    refuseIf(from >= source.size, Errno.ENODATA);
    refuseIf(length > Long.MAX_VALUE - to, Errno.EFBIG);
    refuseIf(source == target && from < to + length && to < from + length, Errno.EINVAL);
    Map<Long, Piece> taken = new TreeMap<>(source.pieces.subMap(from, from + length));
    target.pieces.subMap(to, to + length).clear();
    taken.forEach((position, piece) -> target.pieces.put(position - from + to, piece));
    target.size = Math.max(target.size, to + length);
    contentChanged(target, op.killPrivileges(), time);
  }

  private static void contentChanged(Inode inode, boolean kill, long time) {
    inode.mtime = time;
    inode.ctime = time;
    inode.xattrs.remove("security.capability");
    if (kill) {
      clearSetIds(inode);
    }
  }

  private static void clearSetIds(Inode inode) {
    inode.mode &= (inode.mode & 010) != 0 ? 01777 : 03777;
  }

  private void setAttributes(SetAttributes op, long time) throws Refused {
    Inode inode = inode(op.node());
    boolean newUser = (op.mask() & SetAttributes.UID) != 0;
    boolean newGroup = (op.mask() & SetAttributes.GID) != 0;
    boolean kill = (op.mask() & SetAttributes.KILL_PRIVILEGES) != 0;
    if ((newUser || newGroup || kill) && !inode.isDirectory()) {
      clearSetIds(inode);
      inode.xattrs.remove("security.capability");
    }
    inode.uid = newUser ? op.uid() : inode.uid;
    inode.gid = newGroup ? op.gid() : inode.gid;
    inode.mode = (op.mask() & SetAttributes.MODE) != 0 ? op.mode() : inode.mode;
    inode.mtime = (op.mask() & SetAttributes.MTIME) != 0 ? op.mtimeNs() : inode.mtime;
    inode.mtime = (op.mask() & SetAttributes.MTIME_NOW) != 0 ? time : inode.mtime;
    inode.ctime = time;
  }

  private void setXattr(FsOp.SetXattr op, long time) throws Refused {
    Inode inode = inode(op.node());
    boolean present = inode.xattrs.containsKey(key(op.name()));
    refuseIf(present && op.mode() == XattrMode.CREATE, Errno.EEXIST);
    refuseIf(!present && op.mode() == XattrMode.REPLACE, Errno.ENODATA);
    inode.xattrs.put(key(op.name()), op.value().hash());
    inode.ctime = time;
  }

  private void reap(FsOp.ReapOrphans op) throws Refused {
    for (NodeId id : op.nodes()) {
      Inode inode = inodes.get(id);
      refuseIf(inode == null || links(inode) > 0, Errno.EINVAL);
      refuseIf(op.nodes().stream().filter(id::equals).count() > 1, Errno.EINVAL);
    }
    op.nodes().forEach(inodes::remove);
  }

  private static void put(Inode directory, Name name, Inode child, long time) {
    directory.children.put(key(name), child);
    directory.mtime = time;
    directory.ctime = time;
  }

  private static void take(Inode directory, Name name, long time) {
    directory.children.remove(key(name));
    directory.mtime = time;
    directory.ctime = time;
  }

  /** Whether {@code inode} is {@code above} or in the subtree below it. */
  private static boolean holds(Inode above, Inode inode) {
    return above == inode || above.children.values().stream().anyMatch(c -> holds(c, inode));
  }

  private Inode inode(NodeId id) throws Refused {
    Inode inode = inodes.get(id);
    if (inode == null) {
      throw new Refused(Errno.ENOENT);
    }
    return inode;
  }

  private Inode directory(NodeId id) throws Refused {
    Inode inode = inode(id);
    refuseIf(!inode.isDirectory(), Errno.ENOTDIR);
    refuseIf(links(inode) == 0, Errno.ENOENT);
    return inode;
  }

  private Inode file(NodeId id) throws Refused {
    Inode inode = inode(id);
    refuseIf(inode.isDirectory(), Errno.EISDIR);
    refuseIf(inode.type != NodeType.FILE, Errno.EINVAL);
    return inode;
  }

  private static Inode child(Inode directory, Name name) throws Refused {
    Inode child = directory.children.get(key(name));
    if (child == null) {
      throw new Refused(Errno.ENOENT);
    }
    return child;
  }

  private static void refuseIf(boolean condition, Errno errno) throws Refused {
    if (condition) {
      throw new Refused(errno);
    }
  }

  private static String key(Name name) {
    return key(name.bytes());
  }

  /** One char per byte, so that strings are ordered like the bytes. */
  private static String key(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
