package io.hypersync.worker.fuse.dev;

import java.util.OptionalInt;

/**
 * How to mount.
 *
 * @param source the name shown as the device in {@code mount} and {@code df}; no NUL
 * @param allowOther whether users other than the one who mounts may enter
 * @param defaultPermissions whether the kernel checks modes and owners itself
 * @param maxRead largest READ request in bytes, at least 4,096; empty for as much as was negotiated
 * @param readOnly refuse every change with EROFS in the kernel
 * @param noSuid ignore set-id bits
 * @param noDev refuse to open device nodes
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

  /** Checks the ranges. */
  public FuseMountOptions {
    if (source.isEmpty() || source.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("source must be a non-empty name without NUL");
    }
    if (maxRead.isPresent() && maxRead.getAsInt() < MIN_READ) {
      throw new IllegalArgumentException("maxRead " + maxRead.getAsInt() + " below " + MIN_READ);
    }
  }

  /** What a workspace wants: everybody may enter, the kernel checks permissions. */
  public static FuseMountOptions workspace(String source) {
    return new FuseMountOptions(source, true, true, OptionalInt.empty(), false, false, false);
  }

  long flags() {
    return (readOnly ? Syscalls.MS_RDONLY : 0)
        | (noSuid ? Syscalls.MS_NOSUID : 0)
        | (noDev ? Syscalls.MS_NODEV : 0);
  }

  /** The option string of mount(2). */
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
