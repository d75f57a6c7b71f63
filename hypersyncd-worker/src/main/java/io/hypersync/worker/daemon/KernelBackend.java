package io.hypersync.worker.daemon;

import io.hypersync.runtime.file.FileProblems;
import io.hypersync.worker.WorkerDaemonOptions;
import io.hypersync.worker.coherence.View;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.fuse.dev.FuseMount;
import io.hypersync.worker.fuse.dev.FuseMountOptions;
import io.hypersync.worker.fuse.dev.MountFolder;
import io.hypersync.worker.fuse.dev.MountGuard;
import io.hypersync.worker.fuse.session.FuseConnection;
import io.hypersync.worker.fuse.session.FuseHandler;
import io.hypersync.worker.fuse.session.FuseSession;
import io.hypersync.worker.fuse.session.FuseSessionOptions;
import io.hypersync.worker.fuse.session.SessionEnd;
import io.hypersync.worker.vfs.KernelInodes;
import io.hypersync.worker.vfs.Vfs;
import java.io.IOException;
import java.time.Duration;
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
   */
  record Parts(
      KernelInodes inodes,
      KernelNotifier notifier,
      Supplier<View> view,
      Function<FuseConnection, Vfs> filesystem,
      Reporting reporting,
      Consumer<SessionEnd> ended) {}

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
    FuseMount mount =
        FuseMount.mount(
            folder.point(),
            FuseMountOptions.workspace(
                FuseMountOptions.source(options.workspace()), options.suid(), options.dev()));
    folder.mounted();
    FuseSession started = FuseSession.connect(mount, FuseSessionOptions.defaults());
    session = started;
    guard = guard(mount);
    Vfs served = parts.filesystem().apply(started.connection());
    vfs = served;
    parts.notifier().start(started.notifier(), started.connection().minor(), served::byteAt);
    KernelWalker walks = KernelWalker.of(mount, parts.inodes(), parts.view());
    walker = walks;
    started.serve(walks.around(parts.reporting().around(mount, started, served), served));
    walks.start();
    parts.notifier().walkWith(walks);
    Thread.ofVirtual().name("mount-watch").start(() -> watch(mount, started, walks));
  }

  private static @Nullable MountGuard guard(FuseMount mount) {
    if (mount.device().isEmpty()) {
      LOG.warn("should this worker be killed its mount may hang: it has no device number");
      return null;
    }
    try {
      return MountGuard.start(
          ProcessHandle.current().pid(), mount.device().getAsLong(), mount.mountPoint());
    } catch (IOException e) {
      LOG.warn("should this worker be killed its mount may hang: {}", FileProblems.describe(e));
      return null;
    }
  }

  private void watch(FuseMount mount, FuseSession mounted, KernelWalker walks) {
    try {
      Optional<SessionEnd> end = mounted.awaitEnd(WATCH_INTERVAL);
      while (end.isEmpty()) {
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
    return session != null;
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
    // if the unmount fails, the guard stays, and ends after this process
    MountGuard guarding = guard;
    if (guarding != null) {
      guarding.close();
    }
  }
}
