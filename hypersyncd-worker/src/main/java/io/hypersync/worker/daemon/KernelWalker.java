package io.hypersync.worker.daemon;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
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
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.fuse.session.FuseHandler;
import io.hypersync.worker.fuse.session.FuseReply;
import io.hypersync.worker.fuse.session.KernelCalls;
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
 * Makes calls on the worker's own mount so that the kernel follows changes of other workers which
 * it would not look up by itself. After a directory has moved, it is looked up at its new place, so
 * that processes inside it, and all that is mounted below it, are found there
 * (docs/kernel-caching.md). These calls wait for local calls that hold a directory's lock, so
 * nothing that such a local call waits for may wait for them. Thread-safe.
 */
final class KernelWalker implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KernelWalker.class);

  /** At most this many walks run, or wait in the kernel, at once; others queue. */
  private static final int MAX_THREADS = 16;

  /** Most directories being followed at once; beyond that the kernel is left with the old place. */
  private static final int MAX_MOVES = 10_000;

  private static final long IDLE_THREAD_S = 10;
  private static final long LONG_DROP_MS = 1_000;
  private static final long FIRST_PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(200);
  private static final long LONGEST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(500);

  /**
   * A look-up that fails for a reason other than a held lock is given up after this many failures.
   */
  private static final int MAX_FAILURES = 20;

  private final @Nullable MountWalk walk;
  private final KernelInodes inodes;
  private final Supplier<View> view;
  private final KernelCalls calls;

  /** Thread ids whose requests to the mount are answered at once, without a barrier. */
  private final Set<Integer> callers = ConcurrentHashMap.newKeySet();

  private final Map<NodeId, Move> moves = new HashMap<>();
  private final ThreadPoolExecutor threads;
  private final ScheduledExecutorService later;
  private volatile boolean byNumber;
  private volatile boolean closing;
  private volatile boolean saidThatMissingStay;
  private long dropped;

  /** A directory whose move is being followed; fields are guarded by {@code moves}. */
  private static final class Move {
    private MovedDirectory to;
    private List<Runnable> done = new ArrayList<>(1);
    private long pauseNs = FIRST_PAUSE_NS;
    private int failures;

    Move(MovedDirectory to) {
      this.to = to;
    }
  }

  private KernelWalker(
      @Nullable MountWalk walk, KernelInodes inodes, Supplier<View> view, KernelCalls calls) {
    this.walk = walk;
    this.inodes = inodes;
    this.view = view;
    this.calls = calls;
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

  /**
   * Creates the walker of a mount; if the mount cannot be walked, directories are not followed.
   *
   * @param calls counts the walks; there are none any more once it is held
   */
  static KernelWalker of(
      FuseMount mount, KernelInodes inodes, Supplier<View> view, KernelCalls calls) {
    @Nullable MountWalk walk = null;
    try {
      walk = MountWalk.of(mount.mountPoint(), mount.device());
    } catch (IOException e) {
      LOG.warn(
          "processes in a directory that another machine renames may find themselves nowhere: {}",
          e.getMessage());
    }
    return new KernelWalker(walk, inodes, view, calls);
  }

  /**
   * Wraps a handler so that requests from this walker's own threads go to the filesystem directly.
   */
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
      public void interrupted(RequestId unique, int pid) {
        others.interrupted(unique, pid);
      }
    };
  }

  /** Opens the root for the walks; to be called once the mount answers requests. */
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
   * Makes the kernel find these directories at their new places. Returns at once.
   *
   * @param done run once it finds all of them there, or when nothing more can be done
   */
  void follow(List<MovedDirectory> moved, Runnable done) {
    if (walk == null || closing || moved.isEmpty()) {
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

  /** Makes the kernel look up a name of this node again before it uses that name. */
  void expire(InodeNo inode) {
    MountWalk walks = walk;
    if (walks != null && byNumber) {
      var _ = walks.expire(inode);
    }
  }

  /**
   * Makes the kernel drop all names and nodes of the mount that are not in use, negative names
   * included. Blocks in the kernel.
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
   * Makes the kernel read a node's attributes again.
   *
   * @return true if it did, or does not know the node; false if this is not possible
   */
  boolean refresh(InodeNo inode) {
    MountWalk walks = walk;
    if (walks == null || !byNumber) {
      return false;
    }
    int result = asOwn(() -> walks.refresh(inode));
    return result == 0 || result == -Errno.ESTALE.code();
  }

  /** Ends all walks, and runs what waits for them; calls in the kernel end with the mount. */
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
      if (closing) { // nobody would take it out any more
        return false;
      }
      Move known = moves.get(directory.node());
      if (known != null) {
        known.to = directory; // a walk under way compares its target again before it ends
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
            done.forEach(Runnable::run); // so that nobody waits for a walk that has failed
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
        pauseNs = 1; // it was moved again in the meantime
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

  /**
   * Whether the kernel finds it there, or need not: S_v has it elsewhere, or the kernel has none.
   */
  private boolean isThere(MovedDirectory to) {
    FsState state = view.get().state();
    Node above = state.node(to.place().parent());
    Node now = above == null ? null : state.lookup(above, to.place().name());
    if (now == null || !now.id().equals(to.node()) || !inodes.isKnown(to.inode())) {
      return true;
    }
    long found = look(state, to);
    if (found == to.inode().value()) {
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

  /**
   * The names from the root to a directory; empty for the root, and for an unreachable directory.
   */
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
            if (!calls.enter()) {
              return; // the mount is left to another process, which has the kernel look at all
            }
            try {
              asOwn(
                  () -> {
                    task.run();
                    return true;
                  });
            } catch (RuntimeException e) {
              LOG.error("a walk through the mount failed", e);
            } finally {
              calls.exit();
            }
          });
    } catch (RejectedExecutionException ended) {
      LOG.debug("not walked: the mount ends");
    }
  }

  /** Runs an action when it has itself been run this many times. */
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
