package io.hypersync.model.op;

import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import java.util.List;

/**
 * A logged mutation (hypersync.md 6.1), addressed by node and name, never by path. Arrays inside
 * must not be changed. Permissions are checked by the kernel of the worker where the call was made;
 * the leader checks everything that depends on the state.
 *
 * <p>What can be checked without a state is checked when an op is made: every constructor throws
 * {@link IllegalArgumentException} on a value outside the ranges below. So whatever exists can be
 * encoded, and what was encoded can be decoded. Mode arguments hold the 12 permission bits; uid and
 * gid are numeric, 32 bits unsigned.
 */
public sealed interface FsOp {
  /** The permission bits: rwx for three, set-user-id, set-group-id, sticky. */
  int PERMISSION_BITS = 07777;

  /** open(O_CREAT): a new regular file; EEXIST if the name is taken, always (hypersync.md 6.8). */
  record CreateFile(NodeId parent, Name name, int mode, int uid, int gid) implements FsOp {
    /** Rejects mode bits that are no permissions. */
    public CreateFile {
      requireMode(mode);
    }
  }

  /** mkdir. */
  record MakeDir(NodeId parent, Name name, int mode, int uid, int gid) implements FsOp {
    /** Rejects mode bits that are no permissions. */
    public MakeDir {
      requireMode(mode);
    }
  }

  /** symlink; the target is 1 to 4095 opaque bytes without NUL (hypersync.md 5.2.1, 7.1.1). */
  record MakeSymlink(NodeId parent, Name name, byte[] target, int uid, int gid) implements FsOp {
    /** PATH_MAX without the NUL. */
    public static final int MAX_TARGET_BYTES = 4095;

    /** Rejects a target that is empty, too long or holds a NUL. */
    public MakeSymlink {
      requireText("symlink target", target, MAX_TARGET_BYTES);
    }
  }

  /**
   * mknod: a regular file, FIFO, socket or device node.
   *
   * @param rdev the device number; ignored unless {@code type} is a device
   */
  record MakeNode(NodeId parent, Name name, NodeType type, int mode, int uid, int gid, int rdev)
      implements FsOp {
    /** Rejects types that have calls of their own, and mode bits that are no permissions. */
    public MakeNode {
      requireMode(mode);
      if (type == NodeType.DIRECTORY || type == NodeType.SYMLINK) {
        throw new IllegalArgumentException("mknod of a " + type);
      }
    }
  }

  /** link: one more name for a node that is not a directory. */
  record Link(NodeId node, NodeId newParent, Name newName) implements FsOp {}

  /** unlink. */
  record Unlink(NodeId parent, Name name) implements FsOp {}

  /** rmdir. */
  record RemoveDir(NodeId parent, Name name) implements FsOp {}

  /** rename, with what to do when the new name is taken. */
  record Rename(NodeId parent, Name name, NodeId newParent, Name newName, RenameMode mode)
      implements FsOp {}

  /**
   * write: the chunks, one after another, from {@code offset} on.
   *
   * @param offset where to write, 0 to 2^63-1; for APPEND it is 0 in an intent, and the leader puts
   *     the end of file there before it logs the op (hypersync.md 22.1(7))
   * @param chunks in file order, 1 to {@link #MAX_CHUNKS}, none empty
   * @param killPrivileges clear the set-id bits, too (FUSE_WRITE_KILL_SUIDGID: the caller lacks
   *     CAP_FSETID); security.capability goes in any case
   */
  record Write(
      NodeId node, WriteMode mode, long offset, List<ChunkRef> chunks, boolean killPrivileges)
      implements FsOp {
    /** The most chunks: 256 MiB in the largest chunks, 1 MiB in pieces of 256 bytes. */
    public static final int MAX_CHUNKS = 4096;

    /** Copies the list; rejects a negative offset and chunks outside their limits. */
    public Write {
      chunks = List.copyOf(chunks);
      if (offset < 0) {
        throw new IllegalArgumentException("a write at " + Long.toUnsignedString(offset));
      }
      if (chunks.isEmpty() || chunks.size() > MAX_CHUNKS) {
        throw new IllegalArgumentException("a write of " + chunks.size() + " chunks");
      }
      for (ChunkRef chunk : chunks) {
        if (chunk.length() == 0) {
          throw new IllegalArgumentException("an empty chunk in a write");
        }
      }
    }

    /** The number of bytes written, at least 1. */
    public long length() {
      long sum = 0;
      for (ChunkRef chunk : chunks) {
        sum += chunk.length();
      }
      return sum;
    }
  }

  /**
   * truncate, ftruncate, O_TRUNC.
   *
   * @param size the new size, shorter or longer, 0 to 2^63-1
   * @param killPrivileges as for {@link Write}
   */
  record Truncate(NodeId node, long size, boolean killPrivileges) implements FsOp {
    /** Rejects a negative size. */
    public Truncate {
      if (size < 0) {
        throw new IllegalArgumentException("a size of " + Long.toUnsignedString(size));
      }
    }
  }

  /**
   * chmod, chown, utimensat. Only the fields whose bit is in {@code mask} count.
   *
   * @param mask sum of the constants below; {@link #MTIME_NOW} wins over {@link #MTIME}
   * @param mtimeNs nanoseconds since 1970, when {@link #MTIME} is set
   */
  record SetAttributes(NodeId node, int mask, int mode, int uid, int gid, long mtimeNs)
      implements FsOp {
    /** Set the permission bits. */
    public static final int MODE = 1;

    /** Set the owner. */
    public static final int UID = 2;

    /** Set the group. */
    public static final int GID = 4;

    /** Set mtime to the time given. */
    public static final int MTIME = 8;

    /** Set mtime to the commit time. */
    public static final int MTIME_NOW = 16;

    /** Clear set-id bits and security.capability, as for a chown (FATTR_KILL_SUIDGID). */
    public static final int KILL_PRIVILEGES = 32;

    /** Every bit that means something. */
    public static final int ALL = 63;

    /** Rejects unknown bits in the mask and mode bits that are no permissions. */
    public SetAttributes {
      requireMode(mode);
      if ((mask & ~ALL) != 0) {
        throw new IllegalArgumentException("unknown attribute bits: " + mask);
      }
    }
  }

  /**
   * setxattr (hypersync.md 6.1). A value or a name over its limit cannot even be expressed: the
   * worker answers E2BIG or ERANGE on its own. The total is the leader's to check.
   *
   * @param name 1 to {@link #MAX_NAME_BYTES} bytes without NUL
   * @param value one chunk, or {@link ChunkRef#EMPTY}
   */
  record SetXattr(NodeId node, byte[] name, ChunkRef value, XattrMode mode) implements FsOp {
    /** XATTR_MAX_NAME_LEN. */
    public static final int MAX_NAME_BYTES = 255;

    /** XATTR_MAX_VALUE_SIZE. */
    public static final int MAX_VALUE_BYTES = ChunkRef.MAX_LENGTH;

    /** XATTR_MAX_TOTAL_SIZE: names and values of one node together. */
    public static final int MAX_TOTAL_BYTES = 1024 * 1024;

    /** Rejects a name that is empty, too long or holds a NUL, and a second form of no value. */
    public SetXattr {
      requireText("attribute name", name, MAX_NAME_BYTES);
      if (value.length() == 0 && !value.equals(ChunkRef.EMPTY)) {
        throw new IllegalArgumentException("an empty value with the hash of something");
      }
    }
  }

  /** removexattr; the name is as for {@link SetXattr}. */
  record RemoveXattr(NodeId node, byte[] name) implements FsOp {
    /** Rejects a name that is empty, too long or holds a NUL. */
    public RemoveXattr {
      requireText("attribute name", name, SetXattr.MAX_NAME_BYTES);
    }
  }

  /**
   * Forgets nodes that have no name and no opener any more (hypersync.md 6.8). All of them, or
   * EINVAL if one is unknown, listed twice or has a name.
   *
   * @param nodes at most {@link #MAX_NODES}
   */
  record ReapOrphans(List<NodeId> nodes) implements FsOp {
    /** The most nodes in one op: 1 MiB of ids. */
    public static final int MAX_NODES = 1 << 16;

    /** Copies the list; rejects one that is too long. */
    public ReapOrphans {
      nodes = List.copyOf(nodes);
      if (nodes.size() > MAX_NODES) {
        throw new IllegalArgumentException("a list of " + nodes.size() + " orphans");
      }
    }
  }

  /**
   * fallocate (hypersync.md 6.1.1).
   *
   * @param offset where the range begins, 0 to 2^63-1
   * @param length its bytes, 1 to 2^63-1
   * @param killPrivileges as for {@link Write}
   */
  record Allocate(NodeId node, AllocateMode mode, long offset, long length, boolean killPrivileges)
      implements FsOp {
    /** Rejects a negative offset and an empty range. */
    public Allocate {
      requireRange(offset, length, Long.MAX_VALUE);
    }
  }

  /**
   * copy_file_range without moving a byte: the target maps the same chunks as the source does at
   * the op's place in the log, and holes are copied as holes. An intent names the length that the
   * caller asks for; before the op is logged, the leader cuts it at the source's end and at {@link
   * #MAX_EXTENTS} extents ({@code FsStateMachine.resolve}).
   *
   * @param sourceOffset where to copy from, 0 to 2^63-1
   * @param targetOffset where to copy to, 0 to 2^63-1
   * @param length bytes, 1 to {@link #MAX_BYTES}
   * @param killPrivileges as for {@link Write}, of the target
   */
  record CopyRange(
      NodeId source,
      long sourceOffset,
      NodeId target,
      long targetOffset,
      long length,
      boolean killPrivileges)
      implements FsOp {
    /** The most bytes in one op: 1 GiB. */
    public static final long MAX_BYTES = 1L << 30;

    /**
     * The most extents in one op: 64 MiB in the largest chunks. An older leader has logged ops of
     * up to 4,096.
     */
    public static final int MAX_EXTENTS = 1024;

    /** Rejects negative offsets, and a length outside its range. */
    public CopyRange {
      requireRange(sourceOffset, length, MAX_BYTES);
      requireRange(targetOffset, length, MAX_BYTES);
    }
  }

  /**
   * open(O_TMPFILE): a regular file without a name, which {@link LinkTemporary} may give one.
   *
   * @param parent the directory it was asked of: its set-group-id bit counts as for a file in it
   */
  record MakeTemporary(NodeId parent, int mode, int uid, int gid) implements FsOp {
    /** Rejects mode bits that are no permissions. */
    public MakeTemporary {
      requireMode(mode);
    }
  }

  /**
   * linkat of an open file that O_TMPFILE made: its first name. As {@link Link}, but for nodes
   * without a name; only the worker that made the node knows that it never had one.
   */
  record LinkTemporary(NodeId node, NodeId newParent, Name newName) implements FsOp {}

  /** The chunks whose bytes an op brings along, in order; none of them is empty. */
  default List<ChunkRef> chunks() {
    return switch (this) {
      case Write write -> write.chunks;
      case SetXattr set -> set.value.length() == 0 ? List.of() : List.of(set.value);
      case CreateFile _,
          MakeDir _,
          MakeSymlink _,
          MakeNode _,
          Link _,
          Unlink _,
          RemoveDir _,
          Rename _,
          Truncate _,
          SetAttributes _,
          RemoveXattr _,
          ReapOrphans _,
          Allocate _,
          CopyRange _,
          MakeTemporary _,
          LinkTemporary _ ->
          List.of();
    };
  }

  private static void requireMode(int mode) {
    if ((mode & ~PERMISSION_BITS) != 0) {
      throw new IllegalArgumentException("mode bits outside 07777: " + Integer.toOctalString(mode));
    }
  }

  private static void requireRange(long offset, long length, long maxLength) {
    if (offset < 0) {
      throw new IllegalArgumentException("a range at " + Long.toUnsignedString(offset));
    }
    if (length < 1 || length > maxLength) {
      throw new IllegalArgumentException("a range of " + length + " bytes");
    }
  }

  private static void requireText(String what, byte[] bytes, int max) {
    if (bytes.length == 0 || bytes.length > max) {
      throw new IllegalArgumentException("a " + what + " of " + bytes.length + " bytes");
    }
    for (byte b : bytes) {
      if (b == 0) {
        throw new IllegalArgumentException("a NUL in a " + what);
      }
    }
  }
}
