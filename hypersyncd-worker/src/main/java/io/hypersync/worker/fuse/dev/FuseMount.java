package io.hypersync.worker.fuse.dev;

import io.hypersync.model.errno.Errno;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A mount of type {@code fuse.hypersync}, made by mount(2) without a helper program. The kernel
 * sends INIT as soon as the mount exists, and all callers block until that is answered, so a
 * session must be started at once.
 */
public final class FuseMount implements KernelConnection, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FuseMount.class);
  static final String TYPE = "fuse.hypersync";

  /** What the source of a workspace's mount begins with; the workspace's id follows. */
  static final String SOURCE = "hypersync:";

  private static final String CONNECTIONS = "/sys/fs/fuse/connections";

  private final Path point;
  private final FuseDevice device;
  private final Optional<String> connectionId;
  private final NativeBufferPool outgoing = new NativeBufferPool();

  private FuseMount(Path point, FuseDevice device, Optional<String> connectionId) {
    this.point = point;
    this.device = device;
    this.connectionId = connectionId;
  }

  /**
   * Mounts on an empty directory (hypersync.md 0.1.1).
   *
   * @throws MountException with advice for the user; ENOENT, ENOTDIR, ENOTEMPTY, EBUSY (something
   *     is mounted there), ENOTCONN (a dead mount is there), EPERM, EACCES, ENODEV
   * @throws IOException if the mount table or the directory cannot be read
   */
  public static FuseMount mount(Path mountPoint, FuseMountOptions options) throws IOException {
    Path point = MountPoint.check(mountPoint);
    FuseDevice device = FuseDevice.open();
    RequestPages.allow();
    String data = options.data(device.fd(), Syscalls.effectiveUid(), Syscalls.effectiveGid());
    int result = Syscalls.mount(options.source(), point.toString(), TYPE, options.flags(), data);
    if (result < 0) {
      device.close();
      throw MountProblems.mount(point, Errno.of(-result));
    }
    Optional<String> connectionId =
        MountTable.read()
            .at(point.toString())
            .map(mount -> mount.device().substring(mount.device().indexOf(':') + 1));
    return new FuseMount(point, device, connectionId);
  }

  /**
   * Unmounts what is mounted at a path, dead or alive. A mount with open files disappears from the
   * tree at once, and ends when they are closed.
   *
   * @throws MountException EINVAL if nothing is mounted there, EPERM, ENOENT
   */
  public static void unmount(Path mountPoint) throws MountException {
    Path point = MountPoint.resolve(mountPoint);
    int result = Syscalls.umount2(point.toString(), Syscalls.UMOUNT_NOFOLLOW);
    if (result == -Errno.EBUSY.code()) {
      result = Syscalls.umount2(point.toString(), Syscalls.UMOUNT_NOFOLLOW | Syscalls.MNT_DETACH);
    }
    if (result < 0) {
      throw MountProblems.unmount(point, Errno.of(-result));
    }
  }

  /** Where it is mounted: absolute, without symbolic links. */
  public Path mountPoint() {
    return point;
  }

  /** The device number as {@code /proc/PID/fdinfo} shows it; empty if the mount table lacks it. */
  public OptionalLong device() {
    return connectionId.isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of(Long.parseLong(connectionId.get())); // major 0: the minor alone
  }

  @Override
  public List<KernelChannel> openChannels(int count, int maxMessageBytes) {
    List<KernelChannel> channels = new ArrayList<>();
    channels.add(new DeviceChannel(device, maxMessageBytes, outgoing));
    while (channels.size() < count) {
      FuseDevice own = device;
      try {
        own = device.cloneForReader();
      } catch (IOException e) {
        LOG.warn("{}: readers share one descriptor: {}", point, e.getMessage());
      }
      channels.add(new DeviceChannel(own, maxMessageBytes, outgoing));
    }
    return channels;
  }

  /**
   * {@inheritDoc}
   *
   * <p>If files are open on the mount, the connection is aborted and their users get ENOTCONN. A
   * mount that another process has taken out of the tree lives on while its files are open; it is
   * aborted by its number, if {@code /sys/fs/fuse/connections} is mounted.
   */
  @Override
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

  /** Unmounts and closes the descriptor; for a mount that was not given to a session. */
  @Override
  public void close() throws IOException {
    try {
      disconnect();
    } finally {
      device.close();
    }
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
