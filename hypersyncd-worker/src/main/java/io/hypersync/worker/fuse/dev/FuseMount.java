package io.hypersync.worker.fuse.dev;

import io.hypersync.model.errno.Errno;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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

  private final MountedPoint mounted;
  private final FuseDevice device;
  private final NativeBufferPool outgoing = new NativeBufferPool();

  /** All descriptors of the mount, the first one included. */
  private final List<FuseDevice> devices = new ArrayList<>();

  /** Whether the descriptors were received from another process. */
  private final boolean adopted;

  private FuseMount(MountedPoint mounted, List<FuseDevice> devices, boolean adopted) {
    this.mounted = mounted;
    this.device = devices.getFirst();
    this.devices.addAll(devices);
    this.adopted = adopted;
  }

  /**
   * Takes over a mount that another process has made, and that is in the tree. Makes no request to
   * it.
   *
   * @param point where it is mounted
   * @param minor of its device number
   * @param descriptors of {@code /dev/fuse}, at least one
   */
  public static FuseMount adopt(Path point, long minor, List<Integer> descriptors) {
    return new FuseMount(
        MountedPoint.of(point, minor), descriptors.stream().map(FuseDevice::of).toList(), true);
  }

  /** All descriptors of the mount, once channels were opened. */
  public List<Integer> descriptors() {
    return devices.stream().map(FuseDevice::fd).toList();
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
    return new FuseMount(MountedPoint.at(point), List.of(device), false);
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
    return mounted.path();
  }

  /** The device number as {@code /proc/PID/fdinfo} shows it; empty if the mount table lacks it. */
  public OptionalLong device() {
    return mounted.device();
  }

  @Override
  public List<KernelChannel> openChannels(int count, int maxMessageBytes) {
    List<KernelChannel> channels = new ArrayList<>();
    if (adopted) {
      devices.forEach(each -> channels.add(new DeviceChannel(each, maxMessageBytes, outgoing)));
      return channels;
    }
    channels.add(new DeviceChannel(device, maxMessageBytes, outgoing));
    while (channels.size() < count) {
      FuseDevice own = device;
      try {
        own = device.cloneForReader();
        devices.add(own);
      } catch (IOException e) {
        LOG.warn("{}: readers share one descriptor: {}", mountPoint(), e.getMessage());
      }
      channels.add(new DeviceChannel(own, maxMessageBytes, outgoing));
    }
    return channels;
  }

  /**
   * {@inheritDoc}
   *
   * <p>See {@link MountedPoint#disconnect}.
   */
  @Override
  public void disconnect() throws IOException {
    mounted.disconnect();
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

  /** See {@link MountedPoint#isMounted}. */
  public boolean isMounted() {
    return mounted.isMounted();
  }
}
