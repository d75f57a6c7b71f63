package io.hypersync.worker.fuse.dev;

import io.hypersync.model.id.WorkspaceId;
import java.util.OptionalInt;

/**
 * Options of a mount.
 *
 * @param source the name shown as the device in {@code mount} and {@code df}; no NUL
 * @param allowOther whether users other than the mounting one have access
 * @param defaultPermissions whether the kernel checks modes and owners itself
 * @param maxRead largest READ request in bytes, at least 4,096; empty for the negotiated maximum
 * @param readOnly whether the kernel refuses every change with EROFS
 * @param noSuid whether set-id bits are ignored
 * @param noDev whether device nodes cannot be opened
 */
public record FuseMountOptions(
    String source,
    boolean allowOther,
    boolean defaultPermissions,
    OptionalInt maxRead,
    boolean readOnly,
    boolean noSuid,
    boolean noDev) {
  private static final int MIN_READ = 4096;

  /** What the source of a mount of the past ends with. */
  private static final String PAST = ":past";

  public FuseMountOptions {
    if (source.isEmpty() || source.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("source must be a non-empty name without NUL");
    }
    if (maxRead.isPresent() && maxRead.getAsInt() < MIN_READ) {
      throw new IllegalArgumentException("maxRead " + maxRead.getAsInt() + " below " + MIN_READ);
    }
  }

  /**
   * The options for a workspace: all users have access, the kernel checks permissions, and set-id
   * bits and device nodes have no effect, so that root on one host does not become root on others.
   */
  public static FuseMountOptions workspace(String source) {
    return workspace(source, false, false);
  }

  /** The source of a workspace's mounts, as in the mount table. */
  public static String source(WorkspaceId workspace) {
    return FuseMount.SOURCE + workspace;
  }

  /**
   * The options for a workspace whose hosts all trust each other's root.
   *
   * @param suid whether set-id bits and capabilities of files are honoured
   * @param dev whether device nodes can be opened
   */
  public static FuseMountOptions workspace(String source, boolean suid, boolean dev) {
    return new FuseMountOptions(source, true, true, OptionalInt.empty(), false, !suid, !dev);
  }

  /** The same for the user who mounts, and nobody else. */
  public FuseMountOptions forOneUser() {
    return new FuseMountOptions(
        source, false, defaultPermissions, maxRead, readOnly, noSuid, noDev);
  }

  /** The source of a mount of the past of a workspace, as in the mount table. */
  public static String pastSource(WorkspaceId workspace) {
    return source(workspace) + PAST;
  }

  /** Whether a source is that of a mount of the past. */
  public static boolean isPast(String source) {
    return source.startsWith(FuseMount.SOURCE) && source.endsWith(PAST);
  }

  /** The options for a state of the past, which nobody can change. */
  public static FuseMountOptions past(String source, boolean suid, boolean dev) {
    return new FuseMountOptions(source, true, true, OptionalInt.empty(), true, !suid, !dev);
  }

  long flags() {
    return (readOnly ? Syscalls.MS_RDONLY : 0)
        | (noSuid ? Syscalls.MS_NOSUID : 0)
        | (noDev ? Syscalls.MS_NODEV : 0);
  }

  /** The option string for mount(2). */
  String data(int fd, int uid, int gid) {
    StringBuilder data = new StringBuilder();
    data.append("fd=").append(fd).append(",rootmode=40000");
    data.append(",user_id=").append(Integer.toUnsignedString(uid));
    data.append(",group_id=").append(Integer.toUnsignedString(gid));
    if (defaultPermissions) {
      data.append(",default_permissions");
    }
    if (allowOther) {
      data.append(",allow_other");
    }
    maxRead.ifPresent(bytes -> data.append(",max_read=").append(bytes));
    return data.toString();
  }
}
