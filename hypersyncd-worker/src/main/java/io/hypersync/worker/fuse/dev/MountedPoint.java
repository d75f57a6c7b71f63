package io.hypersync.worker.fuse.dev;

import io.hypersync.model.errno.Errno;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A mount of this process at its place in the tree, whoever serves it: which one it is, whether it
 * is still there, and how it is taken away.
 */
public final class MountedPoint {
  private static final Logger LOG = LoggerFactory.getLogger(MountedPoint.class);
  private static final String CONNECTIONS = "/sys/fs/fuse/connections";

  private final Path point;
  private final Optional<String> connectionId;

  private MountedPoint(Path point, Optional<String> connectionId) {
    this.point = point;
    this.connectionId = connectionId;
  }

  /**
   * What was mounted right now.
   *
   * @param point absolute, without symbolic links
   * @throws IOException if the mount table cannot be read
   */
  public static MountedPoint at(Path point) throws IOException {
    Optional<String> connectionId =
        MountTable.read()
            .at(point.toString())
            .map(mount -> mount.device().substring(mount.device().indexOf(':') + 1));
    return new MountedPoint(point, connectionId);
  }

  /**
   * A mount that another process has made.
   *
   * @param point absolute, without symbolic links
   * @param minor of its device number
   */
  static MountedPoint of(Path point, long minor) {
    return new MountedPoint(point, Optional.of(Long.toString(minor)));
  }

  /** Where it is mounted: absolute, without symbolic links. */
  public Path path() {
    return point;
  }

  /** The device number as {@code /proc/PID/fdinfo} shows it; empty if the mount table lacks it. */
  public OptionalLong device() {
    return connectionId.isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of(Long.parseLong(connectionId.get())); // major 0: the minor alone
  }

  /**
   * Whether the mount is still in the tree, even if it is hidden by another mount, moved or
   * bind-mounted elsewhere; true if that cannot be determined.
   */
  public boolean isMounted() {
    try {
      return connectionId.isEmpty()
          ? isMountedAt(point.toString())
          : MountTable.read().has("0:" + connectionId.get());
    } catch (IOException unknown) {
      LOG.debug("cannot look for the mount at {}", point, unknown);
      return true;
    }
  }

  /**
   * Unmounts. If files are open on the mount, the connection is aborted and their users get
   * ENOTCONN. A mount that another process has taken out of the tree lives on while its files are
   * open; it is aborted by its number, if {@code /sys/fs/fuse/connections} is mounted.
   */
  public void disconnect() throws IOException {
    String path = point.toString();
    if (!isMountedAt(path)) {
      abortDetached();
      return;
    }
    int result = Syscalls.umount2(path, Syscalls.UMOUNT_NOFOLLOW);
    if (result == -Errno.EBUSY.code()) {
      result =
          Syscalls.umount2(
              path, Syscalls.UMOUNT_NOFOLLOW | Syscalls.MNT_FORCE | Syscalls.MNT_DETACH);
    }
    if (result < 0 && result != -Errno.EINVAL.code()) {
      throw MountProblems.unmount(point, Errno.of(-result));
    }
  }

  /**
   * Whether the path leads to this mount, and not to one that was made later by another process.
   */
  private boolean isMountedAt(String path) throws IOException {
    Optional<MountTable.Mount> mounted = MountTable.read().at(path);
    return mounted.isPresent()
        && mounted.get().isFuse()
        && connectionId.map(id -> mounted.get().device().endsWith(":" + id)).orElse(true);
  }

  private void abortDetached() throws IOException {
    if (connectionId.isEmpty()) {
      return;
    }
    Path abort = Path.of(CONNECTIONS, connectionId.get(), "abort");
    if (Files.exists(abort)) {
      Files.write(abort, "1".getBytes(StandardCharsets.US_ASCII), StandardOpenOption.WRITE);
    }
  }
}
