package io.hypersync.worker.daemon;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.state.DirEntry;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.NodeContent;
import io.hypersync.worker.coherence.MovedDirectory;
import io.hypersync.worker.coherence.View;
import io.hypersync.worker.fuse.dev.FuseMount;
import io.hypersync.worker.fuse.dev.MountWalk;
import io.hypersync.worker.fuse.protocol.FuseRequest;
import io.hypersync.worker.fuse.session.FuseHandler;
import io.hypersync.worker.fuse.session.FuseReply;
import io.hypersync.worker.vfs.KernelInodes;
import io.hypersync.worker.vfs.Vfs;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes calls in the worker's own mount, so that the kernel follows what other machines have done
 * where it would not ask by itself: a directory is looked up at its new place, so that processes in
 * it are there, with all that is mounted below (docs/kernel-caching.md). Calls wait for those of
 * this machine which have a directory locked, so nobody must need their end. Thread-safe.
 */
final class KernelWalker implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KernelWalker.class);

  /** So many walks may wait in the kernel; others wait for one of them. */
  private static final int MAX_THREADS = 16;

  /** So many directories may be on their way; of others nobody makes the kernel follow. */
  private static final int MAX_MOVES = 10_000;

  private static final long IDLE_THREAD_S = 10;
  private static final long LONG_DROP_MS = 1_000;
  private static final long FIRST_PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(200);
  private static final long LONGEST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(500);

  /** What is not a lock that is held goes wrong again and again. */
  private static final int MAX_FAILURES = 20;

  private final @Nullable MountWalk walk;
  private final KernelInodes inodes;
  private final Supplier<View> view;

  /** Threads whose requests are answered at once; the kernel calls them by these numbers. */
  private final Set<Integer> callers = ConcurrentHashMap.newKeySet();

  private final Map<NodeId, Move> moves = new HashMap<>();
  private final ThreadPoolExecutor threads;
  private final ScheduledExecutorService later;
  private volatile boolean byNumber;
  private volatile boolean closing;
  private volatile boolean saidThatMissingStay;
  private long dropped;

  /** A directory on its way; its fields are guarded by the map of them. */
  private static final class Move {
    private MovedDirectory to;
    private List<Runnable> done = new ArrayList<>(1);
    private long pauseNs = FIRST_PAUSE_NS;
    private int failures;

    Move(MovedDirectory to) {
      this.to = to;
    }
  }

  private KernelWalker(@Nullable MountWalk walk, KernelInodes inodes, Supplier<View> view) {
    this.walk = walk;
    this.inodes = inodes;
    this.view = view;
    this.threads =
        new ThreadPoolExecutor(
            MAX_THREADS,
            MAX_THREADS,
            IDLE_THREAD_S,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().name("kernel-walker").daemon().factory());
    threads.allowCoreThreadTimeOut(true);
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().name("kernel-walker-later").daemon().factory());
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    this.later = timer;
  }

  /** For a mount; one that cannot be walked is left to its processes. */
  static KernelWalker of(FuseMount mount, KernelInodes inodes, Supplier<View> view) {
    @Nullable MountWalk walk = null;
    try {
      walk = MountWalk.of(mount.mountPoint(), mount.device());
    } catch (IOException e) {
      LOG.warn(
          "processes in a directory that another machine renames may find themselves nowhere: {}",
          e.getMessage());
    }
    return new KernelWalker(walk, inodes, view);
  }

  /** Answers this worker's own requests beside those that go to another handler. */
  FuseHandler around(FuseHandler others, Vfs filesystem) {
    return new FuseHandler() {
      @Override
      public void handle(FuseRequest request, FuseReply reply) {
        if (callers.contains(request.header().pid())) {
          filesystem.handleOwn(request, reply);
        } else {
          others.handle(request, reply);
        }
      }

      @Override
      public void interrupted(long unique, int pid) {
        others.interrupted(unique, pid);
      }
    };
  }

  /** The mount answers requests. */
  void start() {
    MountWalk walks = walk;
    if (walks != null) {
      execute(
          () -> {
            byNumber = walks.openRoot();
            if (!byNumber && !closing) {
              LOG.info(
                  "no permission to reach files by their numbers: a chown on another machine may be"
                      + " noticed late for files that are open here; in a container, start it with"
                      + " `--cap-add DAC_READ_SEARCH`");
            }
          });
    }
  }

  /**
   * Has the kernel find these directories where they are now.
   *
   * @param done run when it does, or when nothing can be done about it
   */
  void follow(List<MovedDirectory> moved, Runnable done) {
    if (walk == null || closing) {
      done.run();
      return;
    }
    Runnable last = new Countdown(moved.size(), done);
    for (MovedDirectory directory : moved) {
      if (!enqueue(directory, last)) {
        last.run();
      }
    }
  }

  /** Has the kernel look up again, before it is used, a name by which it knows this node. */
  void expire(long inode) {
    MountWalk walks = walk;
    if (walks != null && byNumber) {
      var _ = walks.expire(inode);
    }
  }

  /**
   * Has the kernel let go of all names and nodes that nobody uses, also of what it has found
   * missing.
   */
  void dropUnused() {
    MountWalk walks = walk;
    long begunNs = System.nanoTime();
    int result = walks == null ? -Errno.EPERM.code() : walks.dropUnused();
    long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begunNs);
    if (tookMs > LONG_DROP_MS) {
      LOG.warn("the kernel took {} ms to let go of what nobody uses in the mount", tookMs);
    }
    if (result < 0 && !closing && !saidThatMissingStay) {
      saidThatMissingStay = true;
      LOG.warn(
          "names that another machine makes may be missing here for one commit longer: {}",
          Errno.of(-result).message());
    }
  }

  /**
   * Has the kernel ask for a node's attributes.
   *
   * @return whether it has, or does not know the node; false if that cannot be done
   */
  boolean refresh(long inode) {
    MountWalk walks = walk;
    if (walks == null || !byNumber) {
      return false;
    }
    int result = asOwn(() -> walks.refresh(inode));
    return result == 0 || result == -Errno.ESTALE.code();
  }

  /** Ends what is under way; its calls end with the mount. */
  @Override
  public void close() {
    closing = true;
    MountWalk walks = walk;
    if (walks != null) {
      walks.close();
    }
    threads.shutdown();
    later.shutdownNow();
    List<Runnable> waiting = new ArrayList<>();
    synchronized (moves) {
      moves.values().forEach(move -> waiting.addAll(move.done));
      moves.clear();
    }
    waiting.forEach(Runnable::run);
  }

  private boolean enqueue(MovedDirectory directory, Runnable done) {
    synchronized (moves) {
      if (closing) { // what is put in now nobody would take out
        return false;
      }
      Move known = moves.get(directory.node());
      if (known != null) {
        known.to = directory; // whoever walks looks where to before he is through
        known.done.add(done);
        return true;
      }
      if (moves.size() >= MAX_MOVES) {
        dropped++;
        if (Long.bitCount(dropped) == 1) {
          LOG.warn("{} directories that have moved are left to be looked up: too many", dropped);
        }
        return false;
      }
      Move move = new Move(directory);
      move.done.add(done);
      moves.put(directory.node(), move);
    }
    walkLater(directory.node());
    return true;
  }

  private void walkLater(NodeId directory) {
    execute(
        () -> {
          try {
            walkTo(directory);
          } catch (RuntimeException e) {
            List<Runnable> done;
            synchronized (moves) {
              Move move = moves.remove(directory);
              done = move == null ? List.of() : move.done;
            }
            done.forEach(Runnable::run); // nobody waits for what will not come
            throw e;
          }
        });
  }

  private void walkTo(NodeId directory) {
    MovedDirectory to;
    synchronized (moves) {
      Move move = moves.get(directory);
      if (move == null) {
        return;
      }
      to = move.to;
    }
    boolean there = isThere(to);
    List<Runnable> done = List.of();
    long pauseNs = 0;
    synchronized (moves) {
      Move move = moves.get(directory);
      if (move == null) {
        return;
      }
      if (!move.to.equals(to)) {
        pauseNs = 1; // it has moved on meanwhile
      } else if (there || move.failures > MAX_FAILURES) {
        moves.remove(directory);
        done = move.done;
      } else {
        pauseNs = move.pauseNs;
        move.pauseNs = Math.min(pauseNs * 2, LONGEST_PAUSE_NS);
      }
    }
    done.forEach(Runnable::run);
    if (pauseNs > 0) {
      try {
        var _ = later.schedule(() -> walkLater(directory), pauseNs, TimeUnit.NANOSECONDS);
      } catch (RejectedExecutionException ended) {
        LOG.debug("not followed: the mount ends");
      }
    }
  }

  /** Whether the kernel finds it there now, or need not: it is somewhere else, or not known. */
  private boolean isThere(MovedDirectory to) {
    FsState state = view.get().state();
    Node above = state.node(to.place().parent());
    Node now = above == null ? null : state.lookup(above, to.place().name());
    if (now == null || !now.id().equals(to.node()) || !inodes.isKnown(to.inode())) {
      return true;
    }
    long found = look(state, to);
    if (found == to.inode()) {
      return true;
    }
    if (found != -Errno.ESTALE.code() && found != -Errno.ENOENT.code() && found < 0) {
      noteFailure(to, (int) -found);
    }
    return false;
  }

  private void noteFailure(MovedDirectory to, int errno) {
    boolean last;
    synchronized (moves) {
      Move move = moves.get(to.node());
      if (move == null) {
        return;
      }
      move.failures++;
      last = move.failures > MAX_FAILURES;
    }
    if (last && !closing) {
      LOG.warn("a directory that has moved cannot be looked up: {}", Errno.of(errno).message());
    }
  }

  private long look(FsState state, MovedDirectory to) {
    MountWalk walks = walk;
    if (walks == null) {
      return -Errno.ENODEV.code();
    }
    if (byNumber) {
      long found = walks.look(to.place().directory(), to.place().name().bytes());
      if (found >= 0) {
        return found;
      }
    }
    List<byte[]> path = path(state, to.node());
    return path.isEmpty() ? -Errno.ENOENT.code() : walks.look(path);
  }

  /** The names from the root on; empty for the root, and for what is not in the tree. */
  private static List<byte[]> path(FsState state, NodeId directory) {
    ArrayDeque<byte[]> names = new ArrayDeque<>();
    NodeId at = directory;
    while (!at.equals(FsState.ROOT)) {
      Node node = state.node(at);
      if (node == null || !(node.content() instanceof NodeContent.Directory(NodeId parent, _))) {
        return List.of();
      }
      byte @Nullable [] name = nameIn(state.node(parent), at);
      if (name == null) {
        return List.of();
      }
      names.addFirst(name);
      at = parent;
    }
    return List.copyOf(names);
  }

  private static byte @Nullable [] nameIn(@Nullable Node directory, NodeId child) {
    if (directory != null && directory.content() instanceof NodeContent.Directory(_, var entries)) {
      for (DirEntry entry : entries) {
        if (entry.node().equals(child)) {
          return entry.name().bytes();
        }
      }
    }
    return null;
  }

  @FunctionalInterface
  private interface Call<T> {
    T make();
  }

  private <T> T asOwn(Call<T> call) {
    int tid = MountWalk.tid();
    callers.add(tid);
    try {
      return call.make();
    } finally {
      callers.remove(tid);
    }
  }

  private void execute(Runnable task) {
    try {
      threads.execute(
          () -> {
            try {
              asOwn(
                  () -> {
                    task.run();
                    return true;
                  });
            } catch (RuntimeException e) {
              LOG.error("a walk through the mount failed", e);
            }
          });
    } catch (RejectedExecutionException ended) {
      LOG.debug("not walked: the mount ends");
    }
  }

  /** Runs something when it has been run so often itself. */
  private static final class Countdown implements Runnable {
    private final AtomicInteger left;
    private final Runnable then;

    Countdown(int times, Runnable then) {
      this.left = new AtomicInteger(times);
      this.then = then;
    }

    @Override
    public void run() {
      if (left.decrementAndGet() == 0) {
        then.run();
      }
    }
  }
}
