package io.hypersync.worker.daemon;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.state.FsState;
import io.hypersync.worker.coherence.CachedName;
import io.hypersync.worker.coherence.Growth;
import io.hypersync.worker.coherence.MovedDirectory;
import io.hypersync.worker.coherence.PageRange;
import io.hypersync.worker.coherence.StateChange;
import io.hypersync.worker.fuse.session.FuseNotifier;
import io.hypersync.worker.vfs.KernelInodes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the kernel from one state to another that takes its place as a whole
 * (docs/kernel-caching.md). On a thread of its own; directories are told on others, one each,
 * because the kernel may keep one for as long as a call has it locked.
 *
 * <p>Nobody waits for such a call for long: it may itself wait for the new state. If no name has
 * got through for {@link #STUCK_NS}, a new epoch begins: the kernel then drops each name when it
 * next meets it, whoever has its directory locked. That costs what is mounted on such names, so it
 * is the last resort, and a process that had no processor does not resort to it ({@link Stall}).
 */
final class KernelRenewal {
  private static final Logger LOG = LoggerFactory.getLogger(KernelRenewal.class);

  /** Nothing has got through for so long: what is left is behind calls. */
  private static final long STUCK_NS = TimeUnit.MILLISECONDS.toNanos(200);

  /** How long parts of the states are waited for, all in all. */
  private static final long LOOK_NS = TimeUnit.SECONDS.toNanos(5);

  /** How long directories are waited for until they are found at their new places. */
  private static final long MOVES_MS = 500;

  private static final long LOOK_AGAIN_NS = TimeUnit.MICROSECONDS.toNanos(200);

  private final KernelInodes inodes;
  private final boolean keepsNames;
  private final Executor threads;
  private final Kernel kernel;

  /** The names that were expired, until the other state is visible. */
  private List<CachedName> expired = List.of();

  /** Tells the kernel more than a single notification does. */
  interface Kernel {
    /** Gives it the new size of a file. */
    void grow(FuseNotifier notifier, Growth growth) throws IOException;

    /** Makes it fetch the current owner of a node. */
    void refreshOwner(FuseNotifier notifier, InodeNo inode);

    /** Drops attributes; waits a moment for the kernel to learn of the inode. */
    void dropAttributes(FuseNotifier notifier, InodeNo inode) throws IOException;

    /** Makes it find directories at their new places. */
    void follow(List<MovedDirectory> moved, Runnable done);
  }

  /**
   * The renewal of one mount.
   *
   * @param keepsNames whether the kernel caches names, and knows epochs
   * @param threads one for each directory that the kernel is told of
   */
  KernelRenewal(KernelInodes inodes, boolean keepsNames, Executor threads, Kernel kernel) {
    this.inodes = inodes;
    this.keepsNames = keepsNames;
    this.threads = threads;
    this.kernel = kernel;
  }

  /** Expires and drops all that the kernel has, while it is allowed to cache nothing. */
  void expire(FuseNotifier notifier) throws IOException {
    List<CachedName> names = new ArrayList<>();
    List<InodeNo> unknown = new ArrayList<>();
    List<Task> listings = new ArrayList<>();
    List<InodeNo> attributes = new ArrayList<>();
    inodes.forEachKnown(
        (inode, _) -> {
          names.addAll(inodes.takeNames(inode));
          if (inodes.takeListing(inode)) {
            listings.add(
                progress -> {
                  var _ = notifier.invalidateInode(inode, 0, PageRange.TO_THE_END);
                  inodes.listingDropped(inode);
                });
          }
          if (inodes.takeAttributes(inode)) {
            attributes.add(inode);
          }
        });
    for (InodeNo inode : attributes) {
      if (!notifier.attributesOnly(inode)) {
        unknown.add(inode);
      }
    }
    for (InodeNo inode : unknown) {
      kernel.dropAttributes(notifier, inode);
    }
    expired = names;
    tell(
        notifier,
        tasks(names, name -> notifier.expireEntry(name.directory(), name.name().bytes())),
        listings);
  }

  /** Tells it what it would not ask for, now that the other state is visible. */
  void follow(FuseNotifier notifier, FsState before, FsState after) throws IOException {
    long limitNs = System.nanoTime() + LOOK_NS;
    List<CachedName> names = expired;
    expired = List.of();
    StateChange change =
        new StateChange(inodes, before, after, () -> System.nanoTime() - limitNs < 0);
    change.find(names);
    if (change.unknown() > 0) {
      LOG.warn(
          "of {} nodes it is not known in time what has changed: the kernel looks at them again",
          change.unknown());
    }
    for (InodeNo inode : change.rewritten()) {
      var _ = notifier.invalidateInode(inode, 0, PageRange.TO_THE_END);
    }
    for (Growth growth : change.grown()) {
      kernel.grow(notifier, growth);
    }
    for (InodeNo inode : change.owned()) {
      kernel.refreshOwner(notifier, inode);
    }
    // An answer that has confirmed such a name before may have come to the kernel since. So it is
    // taken out, and not expired once more.
    tell(
        notifier,
        tasks(
            change.misleading(),
            name -> notifier.invalidateEntry(name.directory(), name.name().bytes())),
        List.of());
    follow(change.moved());
  }

  private void follow(List<MovedDirectory> moved) {
    if (moved.isEmpty()) {
      return;
    }
    CompletableFuture<@Nullable Void> there = new CompletableFuture<>();
    kernel.follow(moved, () -> there.complete(null));
    try {
      var _ = there.get(MOVES_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.debug("{} directories are still being followed", moved.size());
    }
  }

  /** A notification about one directory. */
  @FunctionalInterface
  private interface Task {
    void run(Progress progress) throws IOException;
  }

  @FunctionalInterface
  private interface NameNotification {
    boolean send(CachedName name) throws IOException;
  }

  private static List<Task> tasks(List<CachedName> names, NameNotification notification) {
    Map<InodeNo, List<CachedName>> byDirectory =
        names.stream().collect(Collectors.groupingBy(CachedName::directory));
    List<Task> tasks = new ArrayList<>(byDirectory.size());
    for (List<CachedName> ofOne : byDirectory.values()) {
      tasks.add(
          progress -> {
            for (CachedName name : ofOne) {
              if (progress.isGivenUp()) {
                return;
              }
              var _ = notification.send(name);
              progress.made();
            }
          });
    }
    return tasks;
  }

  /**
   * Does the tasks. If those about names get stuck, a new epoch begins. One about a listing that
   * gets stuck needs none: the call that holds the directory up goes on, and so does the task.
   */
  private void tell(FuseNotifier notifier, List<Task> names, List<Task> listings)
      throws IOException {
    Progress listed = begin(listings);
    Progress named = begin(names);
    if (!named.await() && keepsNames) {
      LOG.info("calls have directories locked: the kernel looks all names up again");
      notifier.beginEpoch();
    }
    var _ = listed.await();
    named.throwFailure();
    listed.throwFailure();
  }

  private Progress begin(List<Task> tasks) {
    Progress progress = new Progress(tasks.size());
    for (Task task : tasks) {
      try {
        threads.execute(
            () -> {
              try {
                task.run(progress);
              } catch (IOException e) {
                progress.failed(e);
              } finally {
                progress.done();
              }
            });
      } catch (RejectedExecutionException unmounted) {
        progress.done();
      }
    }
    return progress;
  }

  /** How far the tasks are. Thread-safe. */
  private static final class Progress {
    private final AtomicInteger left;
    private final Stall stall = new Stall(STUCK_NS, System.nanoTime());
    private volatile boolean givenUp;
    private volatile @Nullable IOException failure;

    Progress(int tasks) {
      this.left = new AtomicInteger(tasks);
    }

    void made() {
      stall.progress();
    }

    void done() {
      made();
      left.decrementAndGet();
    }

    /** Waits until all are done; gives up, and returns false, when nothing gets through. */
    boolean await() {
      while (left.get() > 0 && !Thread.currentThread().isInterrupted()) {
        if (stall.isStalled(System.nanoTime())) {
          givenUp = true;
          return false;
        }
        LockSupport.parkNanos(LOOK_AGAIN_NS);
      }
      return true;
    }

    boolean isGivenUp() {
      return givenUp;
    }

    void failed(IOException why) {
      failure = why;
    }

    void throwFailure() throws IOException {
      IOException why = failure;
      if (why != null) {
        throw why;
      }
    }
  }
}
