package io.hypersync.worker.daemon;

import io.hypersync.worker.WorkerDaemonOptions;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.fuse.dev.FuseMountOptions;
import io.hypersync.worker.fuse.dev.MountFolder;
import io.hypersync.worker.fuse.jnr.JnrMount;
import io.hypersync.worker.fuse.session.FuseHandler;
import io.hypersync.worker.fuse.session.SessionEnd;
import io.hypersync.worker.vfs.Vfs;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * libfuse 2 stands between the kernel and the filesystem, called through jnr-fuse (decision 034).
 *
 * <p>The kernel caches nothing, so there is nothing that it would have to be told: the {@link
 * KernelNotifier} of this worker is never started, and then each of its tickets is done at once. No
 * thread of this process can be stuck in the kernel because of a notification, so there is no guard
 * either: with the process its descriptor ends, and callers get ENOTCONN.
 */
final class JnrBackend implements MountBackend {
  private static final Logger LOG = LoggerFactory.getLogger(JnrBackend.class);
  private static final Duration WATCH_INTERVAL = Duration.ofMinutes(1);

  private final WorkerDaemonOptions options;
  private final Vfs filesystem;
  private final FuseHandler handler;
  private final Consumer<SessionEnd> ended;
  private volatile @Nullable JnrMount mount;

  /**
   * Mounts nothing yet.
   *
   * @param filesystem lets the kernel cache nothing
   * @param handler what stands around it, and is given the requests
   * @param ended is told when the mount is gone
   * @throws io.hypersync.runtime.admin.UserError if this machine has no libfuse 2
   */
  JnrBackend(
      WorkerDaemonOptions options,
      Vfs filesystem,
      FuseHandler handler,
      Consumer<SessionEnd> ended) {
    JnrMount.requireLibrary();
    this.options = options;
    this.filesystem = filesystem;
    this.handler = handler;
    this.ended = ended;
  }

  @Override
  public void mount(MountFolder folder) throws IOException {
    JnrMount started =
        JnrMount.start(
            folder.point(),
            FuseMountOptions.workspace(
                FuseMountOptions.source(options.workspace()), options.suid(), options.dev()),
            handler);
    mount = started;
    folder.mounted();
    LOG.info(
        "mounted through libfuse 2 (fuse_backend = \"jnr\"): the kernel caches nothing, and some"
            + " calls are not supported; README.md has the list");
    Thread.ofVirtual().name("mount-watch").start(() -> watch(started));
  }

  private void watch(JnrMount mounted) {
    try {
      Optional<SessionEnd> end = mounted.awaitEnd(WATCH_INTERVAL);
      while (end.isEmpty()) {
        end = mounted.awaitEnd(WATCH_INTERVAL);
      }
      ended.accept(end.get());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public boolean isMounted() {
    return mount != null;
  }

  @Override
  public Map<FuseOpcode, Long> requests() {
    JnrMount mounted = mount;
    return mounted == null ? Map.of() : mounted.counters().requests();
  }

  @Override
  public int inFlight() {
    JnrMount mounted = mount;
    return mounted == null ? 0 : mounted.inFlight();
  }

  @Override
  public int openHandles() {
    return filesystem.openHandles();
  }

  @Override
  public long readsThatFetched() {
    return filesystem.readsThatFetched();
  }

  @Override
  public long directOpens() {
    return filesystem.directOpens();
  }

  /** Its requests are libfuse's, and end with this process. */
  @Override
  public boolean leave() {
    return false;
  }

  @Override
  public void close() throws IOException {
    JnrMount mounted = mount;
    if (mounted != null) {
      mounted.close();
    }
  }
}
