package io.hypersync.worker.fuse.jnr;

import io.hypersync.model.errno.Errno;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.worker.fuse.dev.FuseMountOptions;
import io.hypersync.worker.fuse.dev.HostFiles;
import io.hypersync.worker.fuse.dev.MountPoint;
import io.hypersync.worker.fuse.dev.MountedPoint;
import io.hypersync.worker.fuse.session.FuseCounters;
import io.hypersync.worker.fuse.session.FuseHandler;
import io.hypersync.worker.fuse.session.SessionEnd;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import jnr.ffi.Pointer;
import jnr.ffi.byref.IntByReference;
import jnr.ffi.byref.PointerByReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A mount that libfuse 2 serves on threads of this process, each of which waits for the answer of
 * its call.
 *
 * <p>libfuse 2 names files by path, and can tell the kernel nothing by itself. So the kernel keeps
 * nothing (hypersync.md 6.3.2(3)): all reads and writes are direct I/O, and attributes, names and
 * their absence are valid for no time at all. The kernel still has an inode and a dentry for what
 * is in use, but asks for each name that it walks, and for attributes before it shows them.
 */
public final class JnrMount implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(JnrMount.class);

  /**
   * How many calls can be under way; more wait in the kernel. The kernel's own backend has no such
   * limit, because none of its threads waits for a commit.
   */
  static final int THREADS = 64;

  /** Half of them: the other half serves those who hold the locks. */
  static final int MOST_LOCK_WAITERS = THREADS / 2;

  private static final Duration JOIN_LIMIT = Duration.ofSeconds(5);

  private final LibFuse2 library;
  private final OperationTable operations;
  private final RequestLine requests;
  private final FuseCounters counters;
  private final Pointer session;
  private final @Nullable Pointer nativePoint;
  private final MountedPoint mounted;
  private final List<Thread> threads = new ArrayList<>();
  private final CountDownLatch running = new CountDownLatch(THREADS);
  private final AtomicBoolean closed = new AtomicBoolean();

  private JnrMount(
      LibFuse2 library,
      OperationTable operations,
      RequestLine requests,
      FuseCounters counters,
      Pointer session,
      @Nullable Pointer nativePoint,
      MountedPoint mounted) {
    this.library = library;
    this.operations = operations;
    this.requests = requests;
    this.counters = counters;
    this.session = session;
    this.nativePoint = nativePoint;
    this.mounted = mounted;
  }

  /**
   * Checks that this machine has libfuse 2.
   *
   * @throws UserError with the package that brings it
   */
  public static void requireLibrary() {
    var _ = library();
  }

  private static LibFuse2 library() {
    try {
      return LibFuse2.load();
    } catch (UnsatisfiedLinkError missing) {
      throw new UserError(
          "fuse_backend = \"jnr\" needs libfuse 2, and there is no " + LibFuse2.NAME,
          "Install it: apt-get install libfuse2   (libfuse2t64 since Debian 13 and Ubuntu 24.04)");
    }
  }

  /**
   * Mounts and serves. A user without root mounts through {@code fusermount}; others see such a
   * mount only if {@code /etc/fuse.conf} lets them.
   *
   * @param mountPoint an empty directory
   * @param handler the filesystem
   * @throws UserError if libfuse is missing
   * @throws IOException if it cannot be mounted; libfuse has written why to standard error
   */
  public static JnrMount start(Path mountPoint, FuseMountOptions options, FuseHandler handler)
      throws IOException {
    Path point = MountPoint.check(mountPoint);
    LibFuse2 library = library();
    FuseCounters counters = new FuseCounters();
    RequestLine requests =
        new RequestLine(handler, counters, () -> library.fuse_interrupted() != 0);
    OperationTable operations =
        new OperationTable(
            new NativeCalls(new PathCalls(requests, MOST_LOCK_WAITERS), library::fuse_get_context));
    String[] arguments = {"hypersync", "-f", "-o", options(allowed(options)), point.toString()};
    PointerByReference nativePoint = new PointerByReference();
    Pointer session =
        library.fuse_setup(
            arguments.length,
            arguments,
            operations.table(),
            operations.bytes(),
            nativePoint,
            new IntByReference(),
            null);
    if (session == null) {
      throw new IOException("libfuse refuses; it says why in the line above");
    }
    MountedPoint mounted;
    try {
      mounted = MountedPoint.at(point);
    } catch (IOException e) {
      library.fuse_teardown(session, nativePoint.getValue());
      throw e;
    }
    JnrMount mount =
        new JnrMount(
            library, operations, requests, counters, session, nativePoint.getValue(), mounted);
    mount.serve();
    return mount;
  }

  private static boolean isRoot() {
    return HostFiles.effectiveUid() == 0;
  }

  /** What this user may ask for. */
  private static FuseMountOptions allowed(FuseMountOptions options) {
    if (isRoot() || !options.allowOther() || FuseConf.letsOthersIn()) {
      return options;
    }
    LOG.warn(
        "nobody but the user {} sees this mount: the worker does not run as root, and"
            + " /etc/fuse.conf has no line user_allow_other",
        HostFiles.effectiveUid());
    return options.forOneUser();
  }

  /** The options for libfuse. */
  static String options(FuseMountOptions options) {
    List<String> words =
        new ArrayList<>(
            List.of(
                "fsname=" + options.source(),
                "subtype=hypersync",
                // Nothing is cached.
                "direct_io",
                "attr_timeout=0",
                "ac_attr_timeout=0",
                "entry_timeout=0",
                "negative_timeout=0",
                // Inode numbers are those of the workspace.
                "use_ino",
                // An unlink is an unlink: no file is renamed to .fuse_hidden first.
                "hard_remove",
                // As large as libfuse's buffer allows.
                "big_writes",
                "max_write=" + PathCalls.MOST_BYTES,
                "max_read=" + PathCalls.MOST_BYTES));
    if (options.allowOther()) {
      words.add("allow_other");
    }
    if (options.defaultPermissions()) {
      words.add("default_permissions");
    }
    if (!options.noSuid()) {
      words.add("suid"); // nosuid is libfuse's default
    }
    if (!options.noDev()) {
      words.add("dev");
    }
    return String.join(",", words);
  }

  private void serve() {
    for (int i = 0; i < THREADS; i++) {
      threads.add(Thread.ofPlatform().daemon().name("libfuse-" + i).unstarted(this::answerCalls));
    }
    threads.forEach(Thread::start);
  }

  private void answerCalls() {
    try {
      var _ = library.fuse_loop(session);
    } finally {
      running.countDown();
      if (running.getCount() == 0) {
        requests.close();
      }
    }
  }

  /** The mount at its place. */
  public MountedPoint mounted() {
    return mounted;
  }

  /** The requests so far. */
  public FuseCounters.Snapshot counters() {
    return counters.snapshot();
  }

  /** How many requests wait for an answer. */
  public int inFlight() {
    return requests.inFlight();
  }

  /**
   * Waits until the mount ends, by {@link #close} or because another process has unmounted it. In
   * the second case {@link #close} must still be called.
   *
   * @return why it ended; empty if it goes on after {@code limit}
   */
  public Optional<SessionEnd> awaitEnd(Duration limit) throws InterruptedException {
    if (!running.await(limit.toNanos(), TimeUnit.NANOSECONDS)) {
      return Optional.empty();
    }
    return Optional.of(closed.get() ? new SessionEnd.Closed() : new SessionEnd.Unmounted());
  }

  /**
   * Answers {@link Errno#EIO} to all outstanding calls and to any that still arrive, unmounts, and
   * waits up to 5 s for the threads. Does nothing the second time.
   *
   * @throws IOException if it cannot be unmounted; all the rest is done nevertheless
   */
  @Override
  public void close() throws IOException {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    requests.close();
    try {
      if (isRoot()) {
        mounted.disconnect();
      } else if (mounted.isMounted()) {
        library.fuse_unmount(mounted.path().toString(), null); // through fusermount
      }
    } finally {
      end();
    }
  }

  /** Frees what libfuse has, if none of its threads is left. */
  private void end() {
    try {
      if (running.await(JOIN_LIMIT.toNanos(), TimeUnit.NANOSECONDS)) {
        library.fuse_teardown(session, nativePoint);
      } else {
        LOG.warn("{} threads of libfuse still wait in the kernel; left behind", running.getCount());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      Reference.reachabilityFence(operations); // native code calls what is in it until now
    }
  }
}
