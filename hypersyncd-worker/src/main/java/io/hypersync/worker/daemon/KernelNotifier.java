package io.hypersync.worker.daemon;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.state.FsState;
import io.hypersync.runtime.fault.FaultPoints;
import io.hypersync.worker.coherence.CachedName;
import io.hypersync.worker.coherence.Growth;
import io.hypersync.worker.coherence.MovedDirectory;
import io.hypersync.worker.coherence.PageRange;
import io.hypersync.worker.coherence.VisibilityGate;
import io.hypersync.worker.fuse.abi.FuseVersion;
import io.hypersync.worker.fuse.session.FuseNotifier;
import io.hypersync.worker.port.CacheNotifier;
import io.hypersync.worker.vfs.AbsentInodes;
import io.hypersync.worker.vfs.KernelInodes;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends invalidations to the kernel for what an entry changes (hypersync.md 6.3.2(3)). Dropping
 * attributes alone never blocks and is done on the agent's thread. A notification that can block
 * inside the kernel is never sent there; each kind has threads of its own, by what it waits for:
 *
 * <ul>
 *   <li>Names, one thread for each entry: dropping a name waits for calls that hold its directory's
 *       lock, and those calls wait for the agent, so the agent must not wait for the drop. Separate
 *       threads keep names of one directory from waiting for another directory's.
 *   <li>Attributes and pages, one thread: they wait only for READs, which always complete, so they
 *       must not queue behind a name.
 *   <li>Listings, one thread for each: a drop waits for the process that is reading the listing,
 *       whose memory may be slow to page in.
 * </ul>
 */
final class KernelNotifier implements CacheNotifier, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KernelNotifier.class);

  /**
   * Longest wait for the kernel to learn of an inode, or for its FORGET: the caller may not be
   * scheduled.
   */
  static final long UNKNOWN_LIMIT_NS = TimeUnit.MILLISECONDS.toNanos(500);

  /**
   * How long a process may hold up the drop of a listing before the agent stops waiting for it.
   * Counted from the call to the kernel, not from when the task was queued.
   */
  private static final long LISTING_PATIENCE_MS = 500;

  private static final long IDLE_THREAD_S = 10;
  private static final int PAGE = 4_096;
  private static final long FIRST_PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(50);
  private static final long LONGEST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(2);

  private final KernelInodes inodes;
  private final LongConsumer dropped;
  private final LongConsumer heldUp;
  private final Consumer<IOException> failed;
  private final FaultPoints faults;
  private final ExecutorService names = namesThreads();
  private final ExecutorService contents = thread("kernel-notifier-contents");
  private final ExecutorService listings =
      Executors.newCachedThreadPool(daemon("kernel-notifier-listing"));
  private final ScheduledExecutorService patience =
      Executors.newSingleThreadScheduledExecutor(daemon("kernel-notifier-patience"));
  private final ExecutorService renewals = thread("kernel-notifier-renewal");
  private volatile @Nullable FuseNotifier kernel;
  private volatile boolean canPrune;
  private volatile @Nullable KernelRenewal renewal;
  private volatile @Nullable FileBytes files;
  private volatile @Nullable KernelWalker walker;

  /**
   * Before {@link #start} nothing is mounted or cached, and every ticket is done at once.
   *
   * @param dropped called with each ticket whose work is done; any thread
   * @param heldUp called with a ticket that is under way and held up by a process; any thread
   * @param failed called when the kernel refuses a notification: the content of its caches is then
   *     unknown
   */
  KernelNotifier(
      KernelInodes inodes,
      LongConsumer dropped,
      LongConsumer heldUp,
      Consumer<IOException> failed,
      FaultPoints faults) {
    this.inodes = inodes;
    this.dropped = dropped;
    this.heldUp = heldUp;
    this.failed = failed;
    this.faults = faults;
  }

  /**
   * To be called before the mount answers its first request.
   *
   * @param minor of the protocol version that the kernel speaks
   * @param bytes reads the bytes of visible files
   */
  void start(FuseNotifier notifier, int minor, FileBytes bytes) {
    canPrune = minor >= FuseVersion.PRUNE_MINOR;
    renewal = new KernelRenewal(inodes, minor >= FuseVersion.NAMES_MINOR, names, new WholeKernel());
    files = bytes;
    kernel = notifier;
  }

  /** From now on moved directories are looked up again through this walker. */
  void walkWith(KernelWalker walks) {
    walker = walks;
  }

  /** Reads bytes of files in S_v. */
  @FunctionalInterface
  interface FileBytes {
    /** The byte at this offset, or empty if it cannot be read. */
    Optional<Byte> byteAt(InodeNo inode, long offset);
  }

  @Override
  public boolean dropAttributes(InodeNo inode) {
    FuseNotifier notifier = kernel;
    if (notifier == null) {
      return true;
    }
    try {
      boolean isKnown = notifier.attributesOnly(inode);
      // Once this process has left the mount nothing is sent. What it has not told the kernel it
      // must not report as shown: this becomes a task, and tasks end then.
      return isKnown && !notifier.calls().areHeld();
    } catch (IOException e) {
      failed.accept(e);
      return true;
    }
  }

  @Override
  public void dropNames(long ticket, List<CachedName> dropping, List<CachedName> expiring) {
    run(
        names,
        notifier -> {
          faults.reached(FaultPoints.Moment.NAMES_DROPPED);
          for (CachedName name : dropping) {
            var _ = notifier.invalidateEntry(name.directory(), name.name().bytes());
          }
          for (CachedName name : expiring) {
            var _ = notifier.expireEntry(name.directory(), name.name().bytes());
          }
        },
        () -> dropped.accept(ticket));
  }

  @Override
  public void loosenNames(long ticket, List<InodeNo> nodes, boolean missing) {
    run(
        contents,
        notifier -> {
          if (canPrune && !nodes.isEmpty()) {
            prune(notifier, nodes);
          }
          KernelWalker walk = walker;
          if (walk != null) {
            nodes.forEach(walk::expire);
            if (missing) {
              walk.dropUnused();
            }
          }
        },
        () -> dropped.accept(ticket));
  }

  @Override
  public void followMoves(long ticket, List<MovedDirectory> moved) {
    follow(moved, () -> dropped.accept(ticket));
  }

  private void follow(List<MovedDirectory> moved, Runnable done) {
    KernelWalker walk = walker;
    if (walk == null) {
      done.run();
    } else {
      walk.follow(moved, done);
    }
  }

  @Override
  public void refreshOwner(long ticket, InodeNo inode) {
    run(contents, notifier -> refreshOwner(notifier, inode), () -> dropped.accept(ticket));
  }

  private void refreshOwner(FuseNotifier notifier, InodeNo inode) {
    KernelWalker walk = walker;
    if ((walk == null || !walk.refresh(inode)) && canPrune) {
      // an unused inode is looked up anew by the next walk; one in use stays
      prune(notifier, List.of(inode));
    }
  }

  @Override
  public void dropContents(
      long ticket, List<InodeNo> attributes, List<PageRange> pages, @Nullable Growth growth) {
    run(
        contents,
        notifier -> {
          for (InodeNo inode : attributes) {
            dropUnknown(notifier, inode);
          }
          for (PageRange range : pages) {
            var _ = notifier.invalidateInode(range.inode(), range.offset(), range.length());
          }
          if (growth != null) {
            grow(notifier, growth);
          }
        },
        () -> dropped.accept(ticket));
  }

  @Override
  public void expireAll(long ticket) {
    renew(ticket, (renews, notifier) -> renews.expire(notifier));
  }

  @Override
  public void followAll(long ticket, FsState before, FsState after) {
    renew(ticket, (renews, notifier) -> renews.follow(notifier, before, after));
  }

  @FunctionalInterface
  private interface Renewing {
    void run(KernelRenewal renews, FuseNotifier notifier) throws IOException;
  }

  private void renew(long ticket, Renewing renewing) {
    run(
        renewals,
        notifier -> {
          KernelRenewal renews = renewal;
          if (renews != null) {
            renewing.run(renews, notifier);
          }
        },
        () -> dropped.accept(ticket));
  }

  /** What a renewal of all that the kernel has needs from here. */
  private final class WholeKernel implements KernelRenewal.Kernel {
    @Override
    public void grow(FuseNotifier notifier, Growth growth) throws IOException {
      KernelNotifier.this.grow(notifier, growth);
    }

    @Override
    public void refreshOwner(FuseNotifier notifier, InodeNo inode) {
      KernelNotifier.this.refreshOwner(notifier, inode);
    }

    @Override
    public void dropAttributes(FuseNotifier notifier, InodeNo inode) throws IOException {
      dropUnknown(notifier, inode);
    }

    @Override
    public void follow(List<MovedDirectory> moved, Runnable done) {
      KernelNotifier.this.follow(moved, done);
    }
  }

  @Override
  public void dropListing(long ticket, InodeNo inode) {
    run(
        listings,
        notifier -> {
          Future<?> tooLong =
              patience.schedule(
                  () -> heldUp.accept(ticket), LISTING_PATIENCE_MS, TimeUnit.MILLISECONDS);
          try {
            dropListing(notifier, inode);
          } finally {
            tooLong.cancel(false);
          }
        },
        () -> dropped.accept(ticket));
  }

  /** Drops a listing that only the caller of the current request is reading; any thread. */
  void dropListingAtOnce(InodeNo inode) {
    FuseNotifier notifier = kernel;
    if (notifier != null) {
      try {
        dropListing(notifier, inode);
      } catch (IOException e) {
        failed.accept(e);
      }
    }
  }

  @Override
  public void prune(List<InodeNo> pruned) {
    run(
        names,
        notifier -> {
          for (InodeNo inode : pruned) {
            for (CachedName name : inodes.takeNames(inode)) { // takes the directory's lock
              var _ = notifier.invalidateEntry(inode, name.name().bytes());
            }
          }
          if (canPrune) {
            prune(notifier, pruned);
          }
        },
        () -> {});
  }

  @Override
  public void close() {
    names.shutdownNow();
    contents.shutdownNow();
    listings.shutdownNow();
    renewals.shutdownNow();
    patience.shutdownNow();
  }

  /** Keeping an inode for longer is not wrong, so a refusal does not fail the mount. */
  private static void prune(FuseNotifier notifier, List<InodeNo> inodes) {
    try {
      notifier.prune(inodes);
    } catch (IOException refused) {
      LOG.warn("the kernel keeps {} nodes without a name: {}", inodes.size(), refused.getMessage());
    }
  }

  /**
   * Drops attributes of an inode that the kernel does not know although a reply has named it.
   * Either the kernel has forgotten it and its FORGET is on the way, or the caller has not yet run
   * to take the reply. Retries until one of the two shows, or {@link #UNKNOWN_LIMIT_NS} passes. Of
   * an inode whose count another process has begun neither may come: that is waited for once.
   */
  private void dropUnknown(FuseNotifier notifier, InodeNo inode) throws IOException {
    untilKnown(inode, () -> notifier.attributesOnly(inode));
  }

  /** One notification about an inode; returns false if the kernel does not know the inode. */
  @FunctionalInterface
  private interface Telling {
    boolean tell() throws IOException;
  }

  private void untilKnown(InodeNo inode, Telling telling) throws IOException {
    if (inodes.node(inode) == null || telling.tell()) {
      return;
    }
    if (!inodes.isInherited(inode)) {
      var _ = turnsUp(inode, telling);
      return;
    }
    AbsentInodes absent = inodes.absent();
    Object wait = absent.begin(inode);
    if (wait == null) {
      return;
    }
    try {
      if (!turnsUp(inode, telling)) {
        absent.inVain(inode, wait);
      }
    } finally {
      absent.end(inode, wait);
    }
  }

  /** Tells again and again; returns false if it was in vain until the limit. */
  private boolean turnsUp(InodeNo inode, Telling telling) throws IOException {
    long limitNs = System.nanoTime() + UNKNOWN_LIMIT_NS;
    long pauseNs = FIRST_PAUSE_NS;
    while (inodes.node(inode) != null && !telling.tell()) {
      if (Thread.currentThread().isInterrupted()) {
        return true; // unmounted: nothing is known
      }
      if (System.nanoTime() - limitNs >= 0) {
        return false;
      }
      LockSupport.parkNanos(pauseNs);
      pauseNs = Math.min(pauseNs * 2, LONGEST_PAUSE_NS);
    }
    return true;
  }

  /**
   * Makes the kernel raise a file's length: it does so when it is given a byte past its present end
   * of file. The page of that byte does not stay cached, because it is never marked up to date.
   */
  private void grow(FuseNotifier notifier, Growth growth) throws IOException {
    FileBytes file = files;
    long last = growth.size() - 1;
    Optional<Byte> value = file == null ? Optional.empty() : file.byteAt(growth.inode(), last);
    if (value.isEmpty() && last % PAGE == 0) {
      // The kernel would serve what is sent: a page stored from its first byte counts as up to
      // date.
      return;
    }
    byte shown = value.orElse((byte) 0); // its page is read again before it is shown
    try {
      untilKnown(growth.inode(), () -> notifier.store(growth.inode(), last, shown));
    } catch (IOException refused) {
      // The cached pages are not wrong, only the length is old.
      LOG.warn("the kernel does not take up the length of a file: {}", refused.getMessage());
      return;
    }
    var _ = notifier.invalidateInode(growth.inode(), last, 1);
  }

  private static void dropListing(FuseNotifier notifier, InodeNo inode) throws IOException {
    var _ = notifier.invalidateInode(inode, 0, PageRange.TO_THE_END);
  }

  @FunctionalInterface
  private interface Notification {
    void send(FuseNotifier notifier) throws IOException;
  }

  private void run(ExecutorService thread, Notification notification, Runnable done) {
    FuseNotifier notifier = kernel;
    if (notifier == null) {
      done.run();
      return;
    }
    try {
      thread.execute(
          () -> {
            if (!notifier.calls().enter()) {
              return; // the next process tells the kernel anew; so this is never done
            }
            try {
              faults.slowNotifier();
              notification.send(notifier);
            } catch (IOException e) {
              failed.accept(e);
            } catch (RejectedExecutionException ended) {
              LOG.debug("not sent: the mount ends");
            } catch (RuntimeException e) {
              failed.accept(new IOException("a notification failed", e));
            } finally {
              notifier.calls().exit();
              done.run();
            }
          });
    } catch (RejectedExecutionException ended) {
      done.run(); // unmounted in the meantime
    }
  }

  /**
   * One thread for each entry whose names are being dropped, up to a limit, after which entries
   * queue. An idle thread is reused before a new one is started.
   */
  private static ExecutorService namesThreads() {
    NamesQueue queue = new NamesQueue();
    return new ThreadPoolExecutor(
        1,
        VisibilityGate.MAX_DETACHED + 1,
        IDLE_THREAD_S,
        TimeUnit.SECONDS,
        queue,
        daemon("kernel-notifier-names"),
        (drop, threads) -> {
          if (threads.isShutdown()) {
            throw new RejectedExecutionException("unmounted");
          }
          queue.add(drop);
        });
  }

  /** Offers a task to an idle thread only; {@link #add} queues it when no thread can be started. */
  private static final class NamesQueue extends LinkedTransferQueue<Runnable> {
    private static final long serialVersionUID = 1;

    @Override
    public boolean offer(Runnable drop) {
      return tryTransfer(drop);
    }

    @Override
    public boolean add(Runnable drop) {
      return super.offer(drop);
    }
  }

  private static ExecutorService thread(String name) {
    return Executors.newSingleThreadExecutor(daemon(name));
  }

  private static ThreadFactory daemon(String name) {
    return Thread.ofPlatform().name(name).daemon().factory();
  }
}
