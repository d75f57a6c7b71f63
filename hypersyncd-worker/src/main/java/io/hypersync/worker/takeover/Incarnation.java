package io.hypersync.worker.takeover;

import io.hypersync.model.id.ClientId;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.worker.fuse.abi.InitFlag;
import io.hypersync.worker.fuse.dev.DescriptorSocket;
import io.hypersync.worker.fuse.dev.FuseMount;
import io.hypersync.worker.fuse.dev.MemoryFile;
import io.hypersync.worker.fuse.session.FuseConnection;
import io.hypersync.worker.incarnation.MountMemory;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This process as one of those that serve a mount, one after the other: what it has from the one
 * before, and what it leaves to the next.
 */
public final class Incarnation {
  private static final Logger LOG = LoggerFactory.getLogger(Incarnation.class);

  private final TakeoverOptions options;
  private final int memoryDescriptor;
  private final MountMemory memory;
  private final KeeperClient.@Nullable Taken taken;
  private volatile @Nullable KeeperClient keeper;
  private volatile @Nullable Succession succession;

  private Incarnation(
      TakeoverOptions options,
      int memoryDescriptor,
      MountMemory memory,
      KeeperClient.@Nullable Taken taken) {
    this.options = options;
    this.memoryDescriptor = memoryDescriptor;
    this.memory = memory;
    this.taken = taken;
    this.keeper = taken == null ? null : taken.client();
  }

  /**
   * Takes over the mount that waits for this worker; else begins with a new memory. A mount that
   * cannot be gone on with ends here.
   *
   * @throws IOException if another worker serves the mount, or there is no memory
   */
  public static Incarnation begin(TakeoverOptions options) throws IOException {
    Optional<KeeperClient.Taken> waiting = KeeperClient.take(options.socket());
    if (waiting.isPresent()) {
      KeeperClient.Taken taken = waiting.get();
      try {
        MountMemory memory = MountMemory.of(MemoryFile.map(taken.memory(), MountMemory.BYTES));
        String obstacle = memory.obstacle();
        if (obstacle.isEmpty()) {
          return new Incarnation(options, taken.memory(), memory, taken);
        }
        LOG.warn("{} ends, and is mounted anew: {}", taken.mount().point(), obstacle);
      } catch (IOException | IllegalArgumentException e) {
        LOG.warn("{} ends, and is mounted anew: {}", taken.mount().point(), e.getMessage());
      }
      DescriptorSocket.closeAll(taken.devices());
      DescriptorSocket.closeAll(List.of(taken.memory()));
      taken.client().end();
    }
    int descriptor = MemoryFile.create("hypersync-mount", MountMemory.BYTES);
    SecureRandom random = new SecureRandom();
    return new Incarnation(
        options,
        descriptor,
        MountMemory.begin(
            MemoryFile.map(descriptor, MountMemory.BYTES),
            new ClientId(random.nextLong(), random.nextLong()),
            new ClientId(random.nextLong(), random.nextLong())),
        null);
  }

  /** The memory of the mount. */
  public MountMemory memory() {
    return memory;
  }

  /** Whether another process has served the mount before. */
  public boolean isSuccessor() {
    return taken != null;
  }

  /** How many processes have served the mount, with this one. */
  public int generation() {
    return taken == null ? 1 : taken.mount().generation();
  }

  /** The mount that the process before has left; only for a successor. */
  public KeptMount left() {
    return requireTaken().mount();
  }

  /** The descriptors of that mount. */
  public FuseMount adopt() {
    KeeperClient.Taken from = requireTaken();
    return FuseMount.adopt(from.mount().point(), from.mount().device(), from.devices());
  }

  /** What was agreed on with the kernel. */
  public FuseConnection agreed() {
    KeptMount mount = requireTaken().mount();
    return new FuseConnection(mount.minor(), InitFlag.setOf(mount.flags()), mount.maxWriteBytes());
  }

  private KeeperClient.Taken requireTaken() {
    KeeperClient.Taken from = taken;
    if (from == null) {
      throw new IllegalStateException("no process has served this mount before");
    }
    return from;
  }

  /**
   * Has a process keep a new mount. If that cannot be, the mount ends with this process, and it is
   * said so.
   *
   * @param made whether the folder was made for the mount
   */
  public void keep(FuseMount mount, FuseConnection agreed, boolean made) {
    OptionalLong device = mount.device();
    if (!agreed.flags().contains(InitFlag.HAS_RESEND) || device.isEmpty()) {
      LOG.warn(
          "should this worker die, so does its mount: {}",
          device.isEmpty()
              ? "it has no device number"
              : "this kernel cannot send requests again, which takes Linux 6.9");
      return;
    }
    KeeperClient started = null;
    try {
      started = KeeperClient.start(options.socket());
      started.give(
          new KeptMount(
              device.getAsLong(),
              agreed.minor(),
              InitFlag.maskOf(agreed.flags()),
              agreed.maxWriteBytes(),
              options.timeout(),
              1,
              made,
              mount.mountPoint()),
          memoryDescriptor,
          mount.descriptors());
      keeper = started;
      LOG.info("should this worker die, its mount waits {} for another", options.timeout());
    } catch (IOException e) {
      LOG.warn("should this worker die, so does its mount: {}", FileProblems.describe(e));
      if (started != null) {
        started.close();
      }
    }
  }

  /** This process answers the requests of the mount that it has taken over. */
  public void serves() {
    KeeperClient client = keeper;
    try {
      if (client != null) {
        Succession how = client.serves();
        succession = how;
        LOG.info(
            "process number {} of this mount; the one before {}, {} ms ago",
            generation(),
            how.how() == Succession.How.DIED ? "has died" : "has handed over",
            TimeUnit.NANOSECONDS.toMillis(how.pauseNs()));
      }
    } catch (IOException e) {
      LOG.warn("should this worker die, so does its mount: {}", FileProblems.describe(e));
    }
  }

  /** How this process has come to serve the mount; null for the first one. */
  public @Nullable Succession succession() {
    return succession;
  }

  /**
   * Has a successor started beside this process; blocks until it is ready. One thread at a time.
   *
   * @param launcher of another build; empty for the command of this process
   * @throws IOException if none gets ready, saying why
   */
  public SuccessorBuild startSuccessor(String launcher) throws IOException {
    return requireKeeper().startSuccessor(launcher);
  }

  /**
   * This process is about to end, for the successor that is ready.
   *
   * @throws IOException if that is gone
   */
  public void leaves() throws IOException {
    requireKeeper().leaves();
  }

  /** This process goes on; the successor that it has asked for ends. */
  public void stays(String why) {
    try {
      requireKeeper().stays(why);
    } catch (IOException e) {
      LOG.warn("the successor is not told that it is not needed: {}", FileProblems.describe(e));
    }
  }

  private KeeperClient requireKeeper() throws IOException {
    KeeperClient client = keeper;
    if (client == null) {
      throw new IOException("no process keeps the mount");
    }
    return client;
  }

  /** Whether the mount is kept for another process, should this one die. */
  public boolean isKept() {
    KeeperClient client = keeper;
    return client != null && client.isAlive();
  }

  /**
   * This process stops and has not come to serve the mount that it has taken over: takes it away.
   * Callers get ENOTCONN, as when a worker is stopped.
   */
  public void abandon() {
    if (taken == null || keeper == null) {
      return;
    }
    try {
      adopt().close();
    } catch (IOException e) {
      LOG.warn("while unmounting {}: {}", left().point(), FileProblems.describe(e));
    }
    end();
  }

  /** The mount is gone: there is nothing to keep. */
  public void end() {
    KeeperClient client = keeper;
    keeper = null;
    if (client != null) {
      client.end();
    }
  }
}
