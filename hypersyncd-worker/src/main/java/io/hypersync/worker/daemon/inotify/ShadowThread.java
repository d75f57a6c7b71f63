package io.hypersync.worker.daemon.inotify;

import io.hypersync.model.id.InodeNo;
import io.hypersync.worker.fuse.session.KernelCalls;
import io.hypersync.worker.inotify.ShadowCallRegistry;
import io.hypersync.worker.inotify.ShadowJob;
import io.hypersync.worker.inotify.ShadowQueue;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread that takes shadow calls from the queue one by one, and restarts their process. */
final class ShadowThread implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ShadowThread.class);
  private static final long FIRST_PAUSE_MS = 100;
  private static final long LONGEST_PAUSE_MS = 10_000;
  private static final long JOIN_LIMIT_MS = 1_000;

  private final ShadowCallRegistry registry;
  private final ShadowRunner runner;
  private final ShadowQueue queue;
  private final Path mountPoint;
  private final KernelCalls inKernel;
  private final ConcurrentLinkedQueue<InodeNo> unwatched = new ConcurrentLinkedQueue<>();
  private final Thread thread;
  private volatile @Nullable ShadowProcess process;
  private volatile boolean wanted;
  private volatile boolean stopping;
  private final AtomicLong made = new AtomicLong();
  private final AtomicLong givenUp = new AtomicLong();
  private long pauseMs = FIRST_PAUSE_MS;

  /** The call during which the process ended; it is tried once more. */
  private @Nullable ShadowJob interrupted;

  ShadowThread(
      ShadowCallRegistry registry,
      ShadowRunner runner,
      ShadowQueue queue,
      Path mountPoint,
      KernelCalls inKernel) {
    this.registry = registry;
    this.runner = runner;
    this.queue = queue;
    this.mountPoint = mountPoint;
    this.inKernel = inKernel;
    this.thread = Thread.ofPlatform().name("inotify-calls").daemon().unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /** There are calls to make, or will be soon: starts the process if it does not run. */
  void wake() {
    wanted = true;
    LockSupport.unpark(thread);
  }

  /** The node is not watched any more, so the shadow process may close it. */
  void unwatched(InodeNo inode) {
    unwatched.add(inode);
    LockSupport.unpark(thread);
  }

  /** The process id of the shadow process; 0 if it does not run. */
  long pid() {
    ShadowProcess now = process;
    return now == null ? 0 : now.pid();
  }

  /** How many calls the kernel has reported. */
  long made() {
    return made.get();
  }

  /** How many calls the kernel did not report in several tries. */
  long givenUp() {
    return givenUp.get();
  }

  /** Ends the process, or leaves it to end with the mount. */
  @Override
  public void close() {
    stopping = true;
    LockSupport.unpark(thread);
    ShadowProcess now = process;
    if (now != null && !now.end()) {
      LOG.warn("process {} waits in the kernel; it ends with the mount", now.pid());
    }
    try {
      thread.join(JOIN_LIMIT_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    while (!stopping) {
      try {
        if (!wanted) {
          LockSupport.park(this);
          continue;
        }
        ShadowProcess now = process;
        if (now == null) {
          now = start(mountPoint);
        }
        if (now != null) {
          work(now);
        }
      } catch (IOException e) {
        restart(e);
      }
    }
    ShadowProcess last = process; // it may have been started in the meantime
    if (last != null) {
      var _ = last.end();
    }
  }

  /** Null if the mount was left to another process, which has one of its own. */
  private @Nullable ShadowProcess start(Path mounted) throws IOException {
    if (!mayCall()) {
      return null;
    }
    try {
      ShadowProcess started = ShadowProcess.start(mounted, registry);
      process = started;
      return started;
    } finally {
      inKernel.exit();
    }
  }

  /** Rests for good once the mount is left; else {@link KernelCalls#exit} has to follow. */
  private boolean mayCall() {
    boolean may = inKernel.enter();
    if (!may) {
      LockSupport.park(this); // the process ends with this one
    }
    return may;
  }

  private void work(ShadowProcess now) throws IOException {
    ShadowJob again = interrupted;
    ShadowJob job = again == null ? queue.poll() : again;
    if (job == null) {
      // After all queued calls, since these could open the directory again.
      InodeNo gone = unwatched.poll();
      if (gone == null) {
        LockSupport.park(this);
      } else if (mayCall()) {
        try {
          now.drop(gone);
        } finally {
          inKernel.exit();
        }
      }
      return;
    }
    interrupted = null;
    if (!mayCall()) {
      return;
    }
    try {
      count(runner.run(now, job));
      pauseMs = FIRST_PAUSE_MS;
    } catch (IOException e) {
      boolean reported = registry.end();
      if (reported || again != null) {
        count(reported);
      } else {
        interrupted = job;
      }
      throw e;
    } catch (RuntimeException e) {
      LOG.error("a shadow call failed: {}", job.call(), e);
      count(false);
    } finally {
      inKernel.exit();
    }
  }

  private void count(boolean reported) {
    (reported ? made : givenUp).incrementAndGet();
  }

  /** Waits for the old process to end first: requests of two could not be told apart. */
  private void restart(IOException why) {
    ShadowProcess ended = process;
    while (ended != null && !stopping && !ended.end()) {
      LOG.warn("process {} has been told to end, and waits in the kernel", ended.pid());
    }
    if (!stopping) {
      process = null;
      LOG.warn(
          "the process for shadow calls has ended, again in {} ms: {}", pauseMs, why.getMessage());
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pauseMs));
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }
}
