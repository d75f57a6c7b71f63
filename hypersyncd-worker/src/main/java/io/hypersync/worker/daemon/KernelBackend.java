package io.hypersync.worker.daemon;

import io.hypersync.model.id.InodeNo;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.runtime.log.LogEvent;
import io.hypersync.worker.WorkerDaemonOptions;
import io.hypersync.worker.coherence.PageRange;
import io.hypersync.worker.coherence.View;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.fuse.abi.FuseVersion;
import io.hypersync.worker.fuse.dev.FuseMount;
import io.hypersync.worker.fuse.dev.FuseMountOptions;
import io.hypersync.worker.fuse.dev.MountFolder;
import io.hypersync.worker.fuse.dev.MountGuard;
import io.hypersync.worker.fuse.session.FuseConnection;
import io.hypersync.worker.fuse.session.FuseHandler;
import io.hypersync.worker.fuse.session.FuseSession;
import io.hypersync.worker.fuse.session.FuseSessionOptions;
import io.hypersync.worker.fuse.session.KernelCalls;
import io.hypersync.worker.fuse.session.SessionEnd;
import io.hypersync.worker.takeover.Incarnation;
import io.hypersync.worker.vfs.KernelInodes;
import io.hypersync.worker.vfs.Vfs;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The worker reads {@code /dev/fuse} itself, and tells the kernel what it has to forget
 * (hypersync.md 6.3.2(3)). This is the default.
 */
final class KernelBackend implements MountBackend {
  private static final Logger LOG = LoggerFactory.getLogger(KernelBackend.class);
  private static final Duration WATCH_INTERVAL = Duration.ofMillis(250);
  private static final Duration LEAVE_LIMIT = Duration.ofSeconds(3);

  private final WorkerDaemonOptions options;
  private final Parts parts;
  private volatile @Nullable FuseSession session;
  private volatile @Nullable Vfs vfs;
  private volatile @Nullable MountGuard guard;
  private volatile @Nullable KernelWalker walker;

  /**
   * What a mount is made of.
   *
   * @param view S_v
   * @param filesystem makes the filesystem for what was agreed with the kernel
   * @param reporting puts around it what reports changes to local watchers
   * @param ended is told when the mount is gone
   * @param renewed is told when the kernel has nothing cached any more that an earlier process has
   *     told it
   * @param incarnation what this process has from the one before; null if each begins anew
   */
  record Parts(
      KernelInodes inodes,
      KernelNotifier notifier,
      Supplier<View> view,
      Function<FuseConnection, Vfs> filesystem,
      Reporting reporting,
      Consumer<SessionEnd> ended,
      Runnable renewed,
      @Nullable Incarnation incarnation) {}

  /** Puts a handler around a filesystem. */
  @FunctionalInterface
  interface Reporting {
    FuseHandler around(FuseMount mount, FuseSession session, Vfs served);
  }

  KernelBackend(WorkerDaemonOptions options, Parts parts) {
    this.options = options;
    this.parts = parts;
  }

  @Override
  public void mount(MountFolder folder) throws IOException {
    Incarnation incarnation = parts.incarnation();
    Incarnation successor = incarnation != null && incarnation.isSuccessor() ? incarnation : null;
    FuseMount mount = successor != null ? successor.adopt() : newMount(folder);
    long takenNs = System.nanoTime(); // the process before has ended, so it answers nobody
    folder.mounted();
    FuseSession started =
        successor != null
            ? FuseSession.resume(mount, successor.agreed(), FuseSessionOptions.defaults())
            : FuseSession.connect(mount, FuseSessionOptions.defaults());
    session = started;
    if (incarnation != null && successor == null) {
      incarnation.keep(mount, started.connection(), folder.isMade());
    }
    guard = guard(mount, incarnation != null && incarnation.isKept());
    Vfs served = parts.filesystem().apply(started.connection());
    vfs = served;
    parts.notifier().start(started.notifier(), started.connection().minor(), served::byteAt);
    KernelWalker walks =
        KernelWalker.of(mount, parts.inodes(), parts.view(), started.notifier().calls());
    walker = walks;
    FuseHandler handler = walks.around(parts.reporting().around(mount, started, served), served);
    if (successor != null) {
      List<InodeNo> inherited = inherit(started, served);
      started.notifier().sendAgain();
      started.serve(handler);
      Thread.ofPlatform()
          .name("kernel-pages-left")
          .daemon()
          .start(() -> dropPages(started, inherited, takenNs));
      successor.serves();
    } else {
      started.serve(handler);
    }
    walks.start();
    parts.notifier().walkWith(walks);
    Thread.ofVirtual().name("mount-watch").start(() -> watch(mount, started, walks));
  }

  private FuseMount newMount(MountFolder folder) throws IOException {
    return FuseMount.mount(
        folder.point(),
        FuseMountOptions.workspace(
            FuseMountOptions.source(options.workspace()), options.suid(), options.dev()));
  }

  /**
   * Goes on where an earlier process has ended. What other machines have changed since its last
   * invalidation is not known, so the kernel looks at all again: at each name when it next meets it
   * (a new epoch), at the attributes of each node. Neither blocks, and nobody is answered before.
   *
   * <p>An inode that the kernel does not have stays counted: an answer of the earlier process may
   * be on its way to a caller, or a FORGET to this process.
   *
   * @return the inodes that the kernel holds, and those that it may
   */
  private List<InodeNo> inherit(FuseSession started, Vfs served) throws IOException {
    List<InodeNo> known = parts.inodes().inherit();
    served.inherit();
    if (started.connection().minor() >= FuseVersion.NAMES_MINOR) {
      started.notifier().beginEpoch();
    }
    int held = 0;
    for (InodeNo inode : known) {
      if (started.notifier().attributesOnly(inode)) {
        held++;
      }
    }
    LOG.info(
        LogEvent.TAKEOVER.marker().with("mount", options.mountPoint()),
        "goes on with the mount at {}: {} nodes, {} of them open",
        options.mountPoint(),
        held,
        served.openHandles());
    return known;
  }

  /**
   * Pages that the kernel has cached for an earlier process. A read compares the attributes first,
   * and drops the pages of what has changed; a memory map does not. A drop waits for READs that are
   * under way, so it comes after the first answers. With it the kernel has nothing old any more:
   * before, this mount must not count as one that shows all ({@code visibility = "everywhere"}).
   *
   * <p>What the kernel does not have is asked for again when its caller has had as much time to
   * take up an answer as any (see {@link KernelNotifier}), and is absent then.
   */
  private void dropPages(FuseSession started, List<InodeNo> known, long takenNs) {
    try {
      Map<InodeNo, Object> waits = new HashMap<>();
      for (InodeNo inode : known) {
        Object wait = parts.inodes().absent().begin(inode);
        if (wait != null && !dropPages(started, inode)) {
          waits.put(inode, wait);
        } else if (wait != null) {
          parts.inodes().absent().end(inode, wait);
        }
      }
      if (!waits.isEmpty()) {
        long leftNs = takenNs + KernelNotifier.UNKNOWN_LIMIT_NS - System.nanoTime();
        Thread.sleep(Duration.ofNanos(Math.max(0, leftNs)));
      }
      for (Map.Entry<InodeNo, Object> unknown : waits.entrySet()) {
        InodeNo inode = unknown.getKey();
        if (!dropPages(started, inode)) {
          parts.inodes().absent().inVain(inode, unknown.getValue());
        }
        parts.inodes().absent().end(inode, unknown.getValue());
      }
      if (!started.hasEnded() && !started.notifier().calls().areHeld()) {
        parts.renewed().run(); // else whoever serves the mount next does it again
      }
    } catch (IOException e) {
      parts.ended().accept(new SessionEnd.NotificationRefused(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns false if the kernel does not know the inode. */
  private static boolean dropPages(FuseSession started, InodeNo inode) throws IOException {
    KernelCalls calls = started.notifier().calls();
    if (started.hasEnded() || !calls.enter()) {
      return true;
    }
    try {
      return started.notifier().invalidateInode(inode, 0, PageRange.TO_THE_END);
    } finally {
      calls.exit();
    }
  }

  private static @Nullable MountGuard guard(FuseMount mount, boolean isKept) {
    if (mount.device().isEmpty()) {
      LOG.warn("should this worker be killed its mount may hang: it has no device number");
      return null;
    }
    try {
      long pid = ProcessHandle.current().pid();
      long connection = mount.device().getAsLong();
      return isKept
          ? MountGuard.startPatient(pid, connection, mount.mountPoint())
          : MountGuard.start(pid, connection, mount.mountPoint());
    } catch (IOException e) {
      LOG.warn("should this worker be killed its mount may hang: {}", FileProblems.describe(e));
      return null;
    }
  }

  private void watch(FuseMount mount, FuseSession mounted, KernelWalker walks) {
    Incarnation incarnation = parts.incarnation();
    boolean kept = incarnation != null && incarnation.isKept();
    try {
      Optional<SessionEnd> end = mounted.awaitEnd(WATCH_INTERVAL);
      while (end.isEmpty()) {
        if (kept && incarnation != null && !incarnation.isKept()) {
          kept = false;
          LOG.warn("the process that kept the mount is gone: should this worker die, so does it");
        }
        if (!mount.isMounted()) {
          walks.close(); // its open descriptors would keep the filesystem alive
        }
        end = mounted.awaitEnd(WATCH_INTERVAL);
      }
      parts.ended().accept(end.get());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public boolean isMounted() {
    return vfs != null; // which is after the keeper has the mount
  }

  @Override
  public Map<FuseOpcode, Long> requests() {
    FuseSession mounted = session;
    return mounted == null ? Map.of() : mounted.counters().requests();
  }

  @Override
  public int inFlight() {
    FuseSession mounted = session;
    return mounted == null ? 0 : mounted.inFlight();
  }

  @Override
  public int openHandles() {
    Vfs served = vfs;
    return served == null ? 0 : served.openHandles();
  }

  @Override
  public long readsThatFetched() {
    Vfs served = vfs;
    return served == null ? 0 : served.readsThatFetched();
  }

  @Override
  public long directOpens() {
    Vfs served = vfs;
    return served == null ? 0 : served.directOpens();
  }

  /**
   * {@inheritDoc}
   *
   * <p>First nothing of this process may be in a call into its own mount, nor inside the kernel to
   * tell it something ({@link io.hypersync.worker.fuse.session.KernelCalls}): a process with such a
   * thread cannot end before the call is answered, and the next one answers only once this one has
   * ended. Nothing is taken down before that moment, so a worker that does not leave goes on whole.
   */
  @Override
  public boolean leave() throws InterruptedException {
    FuseSession mounted = session;
    if (mounted == null || !mounted.notifier().calls().holdWhenIdle(LEAVE_LIMIT)) {
      return false;
    }
    mounted.leave();
    return true;
  }

  @Override
  public void close() throws IOException {
    KernelWalker walks = walker;
    if (walks != null) {
      walks.close();
    }
    FuseSession mounted = session;
    if (mounted == null) {
      return;
    }
    mounted.close();
    Incarnation incarnation = parts.incarnation();
    if (incarnation != null) {
      incarnation.end();
    }
    // if the unmount fails, the guard stays, and ends after this process
    MountGuard guarding = guard;
    if (guarding != null) {
      guarding.close();
    }
  }
}
