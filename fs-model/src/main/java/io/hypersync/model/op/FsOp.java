package io.hypersync.model.op;

import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A logged mutation (hypersync.md 6.1), addressed by node and name, never by path. Immutable;
 * arrays inside must not be changed. Permissions are checked by the kernel of the worker where the
 * call was made; the leader checks everything that depends on the state.
 *
 * <p>What can be checked without a state is checked at construction: every constructor throws
 * {@link IllegalArgumentException} on a value outside the ranges below. So every op that exists can
 * be encoded, and every encoded op can be decoded. Mode arguments hold the 12 permission bits; uid
 * and gid are numeric, 32 bits unsigned.
 */
public sealed interface FsOp {
  /** The 12 permission bits of a mode: three times rwx, set-user-id, set-group-id, sticky. */
  int PERMISSION_BITS = 07777;

  /**
   * open(O_CREAT) of a name that does not exist: creates a regular file. EEXIST if the name is
   * taken, even without O_EXCL (hypersync.md 6.8).
   */
  record CreateFile(NodeId parent, Name name, int mode, int uid, int gid) implements FsOp {
    /** Rejects mode bits that are no permissions. */
    public CreateFile {
      requireMode(mode);
    }
  }

  /** mkdir(2): creates an empty directory. EEXIST if the name is taken. */
  record MakeDir(NodeId parent, Name name, int mode, int uid, int gid) implements FsOp {
    /** Rejects mode bits that are no permissions. */
    public MakeDir {
      requireMode(mode);
    }
  }

  /** symlink(2); the target is 1 to 4095 opaque bytes without NUL (hypersync.md 5.2.1, 7.1.1). */
  record MakeSymlink(NodeId parent, Name name, byte[] target, int uid, int gid) implements FsOp {
    /** Maximum length of a target in bytes: PATH_MAX without the NUL. */
    public static final int MAX_TARGET_BYTES = 4095;

    /** Rejects a target that is empty, too long or holds a NUL. */
    public MakeSymlink {
      requireText("symlink target", target, MAX_TARGET_BYTES);
    }
  }

  /**
   * mknod(2): creates a regular file, FIFO, socket or device node.
   *
   * @param rdev the device number; ignored unless {@code type} is a device
   */
  record MakeNode(NodeId parent, Name name, NodeType type, int mode, int uid, int gid, int rdev)
      implements FsOp {
    /**
     * Rejects directories and symbolic links, which have their own ops, and mode bits that are no
     * permissions.
     */
    public MakeNode {
      requireMode(mode);
      if (type == NodeType.DIRECTORY || type == NodeType.SYMLINK) {
        throw new IllegalArgumentException("mknod of a " + type);
      }
    }
  }

  /** link(2): adds a name to a node that has at least one and is not a directory. */
  record Link(NodeId node, NodeId newParent, Name newName) implements FsOp {}

  /** unlink(2): removes a name of anything but a directory. */
  record Unlink(NodeId parent, Name name) implements FsOp {}

  /** rmdir(2): removes an empty directory. */
  record RemoveDir(NodeId parent, Name name) implements FsOp {}

  /**
   * rename(2) and renameat2(2).
   *
   * @param mode what happens if the new name is taken
   */
  record Rename(NodeId parent, Name name, NodeId newParent, Name newName, RenameMode mode)
      implements FsOp {}

  /**
   * write(2): the concatenated chunks, from {@code offset} on.
   *
   * @param offset where to write, 0 to 2^63-1; for APPEND it is 0 in an intent, and the leader
   *     replaces it by the end of file before it logs the op (hypersync.md 22.1(7))
   * @param chunks in file order, 1 to {@link #MAX_CHUNKS}, none empty
   * @param killPrivileges whether to clear the set-id bits (FUSE_WRITE_KILL_SUIDGID: the caller
   *     lacks CAP_FSETID); security.capability is removed in any case
   */
  record Write(
      NodeId node, WriteMode mode, long offset, List<ChunkRef> chunks, boolean killPrivileges)
      implements FsOp {
    /**
     * Maximum number of chunks: 256 MiB in chunks of the largest size, 1 MiB in chunks of 256
     * bytes.
     */
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

    /** The number of bytes written, at least 1: the sum of the chunk lengths. */
    public long length() {
      long sum = 0;
      for (ChunkRef chunk : chunks) {
        sum += chunk.length();
      }
      return sum;
    }
  }

  /**
   * truncate(2), ftruncate(2) and O_TRUNC.
   *
   * @param size the new size in bytes, smaller or larger, 0 to 2^63-1
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
   * chmod(2), chown(2) and utimensat(2). A field applies only if its bit is in {@code mask}.
   *
   * @param mask sum of the constants below; {@link #MTIME_NOW} overrides {@link #MTIME}
   * @param mtimeNs nanoseconds since 1970, for {@link #MTIME}
   */
  record SetAttributes(NodeId node, int mask, int mode, int uid, int gid, long mtimeNs)
      implements FsOp {
    /** Set the permission bits to {@code mode}. */
    public static final int MODE = 1;

    /** Set the owner to {@code uid}. */
    public static final int UID = 2;

    /** Set the group to {@code gid}. */
    public static final int GID = 4;

    /** Set mtime to the time given. */
    public static final int MTIME = 8;

    /** Set mtime to the commit time. */
    public static final int MTIME_NOW = 16;

    /** Clear set-id bits and security.capability, as for a chown (FATTR_KILL_SUIDGID). */
    public static final int KILL_PRIVILEGES = 32;

    /** All valid bits of the mask. */
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
   * setxattr(2) (hypersync.md 6.1). A value or name over its limit cannot be represented: the
   * worker answers E2BIG or ERANGE without asking the leader. The total is checked when the op is
   * applied.
   *
   * @param name 1 to {@link #MAX_NAME_BYTES} bytes without NUL
   * @param value a chunk, or {@link ChunkRef#EMPTY}
   */
  record SetXattr(NodeId node, byte[] name, ChunkRef value, XattrMode mode) implements FsOp {
    /** XATTR_MAX_NAME_LEN, in bytes. */
    public static final int MAX_NAME_BYTES = 255;

    /** XATTR_MAX_VALUE_SIZE, in bytes. */
    public static final int MAX_VALUE_BYTES = ChunkRef.MAX_LENGTH;

    /** XATTR_MAX_TOTAL_SIZE, in bytes: names and values of one node together; more is ENOSPC. */
    public static final int MAX_TOTAL_BYTES = 1024 * 1024;

    /**
     * Rejects a name that is empty, too long or holds a NUL, and an empty value other than {@link
     * ChunkRef#EMPTY}, which would be a second encoding of it.
     */
    public SetXattr {
      requireText("attribute name", name, MAX_NAME_BYTES);
      if (value.length() == 0 && !value.equals(ChunkRef.EMPTY)) {
        throw new IllegalArgumentException("an empty value with the hash of something");
      }
    }
  }

  /** removexattr(2); the name is as for {@link SetXattr}. */
  record RemoveXattr(NodeId node, byte[] name) implements FsOp {
    /** Rejects a name that is empty, too long or holds a NUL. */
    public RemoveXattr {
      requireText("attribute name", name, SetXattr.MAX_NAME_BYTES);
    }
  }

  /**
   * Removes orphans that no process has open from the state (hypersync.md 6.8). Removes all of
   * them, or none and fails with EINVAL if one is unknown, listed twice or has a name.
   *
   * @param nodes at most {@link #MAX_NODES}
   */
  record ReapOrphans(List<NodeId> nodes) implements FsOp {
    /** Maximum number of nodes in one op: 1 MiB of ids. */
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
   * fallocate(2) (hypersync.md 6.1.1).
   *
   * @param offset start of the range, 0 to 2^63-1
   * @param length of the range in bytes, 1 to 2^63-1
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
   * copy_file_range(2) without moving bytes: the target maps the same chunks that the source maps
   * at this op's position in the log, and holes are copied as holes. An intent contains the length
   * that the caller asks for; before the leader logs the op, it truncates the length at the
   * source's end of file and at {@link #MAX_EXTENTS} extents ({@code FsStateMachine.resolve}).
   *
   * @param sourceOffset where to copy from, 0 to 2^63-1
   * @param targetOffset where to copy to, 0 to 2^63-1
   * @param length in bytes, 1 to {@link #MAX_BYTES}
   * @param killPrivileges as for {@link Write}, for the target
   */
  record CopyRange(
      NodeId source,
      long sourceOffset,
      NodeId target,
      long targetOffset,
      long length,
      boolean killPrivileges)
      implements FsOp {
    /** Maximum number of bytes in one op: 1 GiB. */
    public static final long MAX_BYTES = 1L << 30;

    /**
     * Maximum number of extents in one op: 64 MiB in chunks of the largest size. Logs may contain
     * ops of up to 4,096 extents from older leaders, so replay does not check this limit.
     */
    public static final int MAX_EXTENTS = 1024;

    /** Rejects negative offsets, and a length outside its range. */
    public CopyRange {
      requireRange(sourceOffset, length, MAX_BYTES);
      requireRange(targetOffset, length, MAX_BYTES);
    }
  }

  /**
   * open(O_TMPFILE): creates a regular file without a name, which {@link LinkTemporary} may give
   * one.
   *
   * @param parent the directory that the call names; if it has the set-group-id bit, the file gets
   *     its group, like a file created in it
   */
  record MakeTemporary(NodeId parent, int mode, int uid, int gid) implements FsOp {
    /** Rejects mode bits that are no permissions. */
    public MakeTemporary {
      requireMode(mode);
    }
  }

  /**
   * linkat(2) of an open O_TMPFILE file: gives it its first name. Like {@link Link}, but for nodes
   * without a name. The state cannot distinguish such a file from one that has been unlinked; only
   * the worker that created it can.
   */
  record LinkTemporary(NodeId node, NodeId newParent, Name newName) implements FsOp {}

  /**
   * Makes the tree what it was at an earlier moment, all at once. Only the leader logs this. The
   * names, nodes and contents become those of the earlier state; the counter of inode numbers stays
   * what it is, because no number is ever used twice. A node without a name, and one that somebody
   * has open, stays as an orphan if it has no name in the earlier state: a file with its content, a
   * directory empty (hypersync.md 6.8). What had no name in the earlier state does not come back,
   * except by entries of leaders before that was so ({@code withOrphans}).
   *
   * <p>EINVAL if the manifest is none of this workspace and this version of roots, or is of a later
   * state.
   *
   * @param manifest the manifest of the earlier state ({@code model.snapshot.Manifest}), 1 to
   *     {@link #MAX_MANIFEST_BYTES} bytes; it names the pages that the state is read from
   * @param open nodes that somebody has open, at most {@link #MAX_OPEN}; what does not exist, or is
   *     listed twice, is passed over
   * @param withOrphans whether the earlier state's nodes without a name come back, too
   */
  record RestoreState(byte[] manifest, List<NodeId> open, boolean withOrphans) implements FsOp {
    /** Maximum length of a manifest in bytes: no manifest is as long. */
    public static final int MAX_MANIFEST_BYTES = 1 << 16;

    /** Maximum number of open nodes: 1 MiB of ids. */
    public static final int MAX_OPEN = ReapOrphans.MAX_NODES;

    /** Copies both; rejects a manifest that is empty or too long, and a list that is too long. */
    public RestoreState {
      manifest = manifest.clone();
      open = List.copyOf(open);
      if (manifest.length == 0 || manifest.length > MAX_MANIFEST_BYTES) {
        throw new IllegalArgumentException("a manifest of " + manifest.length + " bytes");
      }
      if (open.size() > MAX_OPEN) {
        throw new IllegalArgumentException("a list of " + open.size() + " open nodes");
      }
    }

    /** What a leader logs: nothing comes back that had no name. */
    public RestoreState(byte[] manifest, List<NodeId> open) {
      this(manifest, open, false);
    }

    /** The same bytes and the same nodes in the same order. */
    @Override
    public boolean equals(@Nullable Object other) {
      return other
              instanceof
              RestoreState(byte[] otherManifest, List<NodeId> otherOpen, boolean otherOrphans)
          && withOrphans == otherOrphans
          && Arrays.equals(manifest, otherManifest)
          && open.equals(otherOpen);
    }

    @Override
    public int hashCode() {
      return 31 * Arrays.hashCode(manifest) + open.hashCode();
    }

    /** Says how long the manifest is, not all of its bytes. */
    @Override
    public String toString() {
      return "RestoreState[manifest=" + manifest.length + " bytes, open=" + open + "]";
    }
  }

  /** The chunks whose bytes must accompany the op, in order; none of them is empty. */
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
          LinkTemporary _,
          RestoreState _ ->
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
