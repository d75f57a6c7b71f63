package io.hypersync.worker.daemon.local;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.worker.coherence.View;
import io.hypersync.worker.fuse.dev.HostCallFailed;
import io.hypersync.worker.fuse.session.FuseHandler;
import io.hypersync.worker.fuse.session.FuseNotifier;
import io.hypersync.worker.fuse.session.FuseReply;
import io.hypersync.worker.local.LocalNodes;
import io.hypersync.worker.vfs.KernelInodes;
import io.hypersync.worker.vfs.Mutations;
import io.hypersync.worker.vfs.OwnReads;
import io.hypersync.worker.vfs.PageFetches;
import io.hypersync.worker.vfs.RequestFailed;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The paths that are local to this host, since {@code hypersync.ignore} names them (hypersync.md
 * 3): puts them into a mount, and owns the threads that wait for this host's disk. A disk that
 * hangs holds up nobody but who uses these paths.
 */
public final class LocalPaths implements AutoCloseable {
  private static final long OPEN_LIMIT_S = 5;
  private static final Logger LOG = LoggerFactory.getLogger(LocalPaths.class);
  private static final int THREADS = 16;
  private static final long IDLE_S = 30;

  /** The share of the process's descriptors that open local files may take. */
  private static final int SHARE = 4;

  private static final int LEAST_OPEN = 64;

  private final Settings settings;
  private final LocalNodes nodes = new LocalNodes();
  private final ReplicatedNames names;
  private final IgnoreWatch watch;
  private final PageFetches pages;
  private final OpenLocalFiles open;
  private final LocalSurvey survey;
  private final ExecutorService disk = pool("worker-local-", THREADS);
  private final ExecutorService background = pool("worker-local-survey-", 1);

  private final AtomicBoolean surveying = new AtomicBoolean();

  private volatile @Nullable Served served;
  private volatile String problem = "";

  /**
   * What local paths are made of.
   *
   * @param localDir the folder beside the mount; it exists
   * @param maxDescriptors how many descriptors this process may have
   */
  public record Settings(Path localDir, WorkspaceId workspace, long maxDescriptors) {}

  /**
   * What there is once the folder is open.
   *
   * @param store the folder itself
   */
  record Served(LocalStore store, HostTree tree, LocalRequests requests, LocalListing listing) {}

  /**
   * Serves nothing yet.
   *
   * @param view S_v
   */
  public LocalPaths(
      Settings settings,
      Supplier<View> view,
      KernelInodes inodes,
      OwnReads reads,
      Mutations leader) {
    this.settings = settings;
    this.names = new ReplicatedNames(view, inodes);
    this.pages = new PageFetches(leader);
    this.open = new OpenLocalFiles(Math.max(LEAST_OPEN, settings.maxDescriptors() / SHARE));
    this.watch = new IgnoreWatch(names, reads, leader, this::changed);
    this.survey = new LocalSurvey(names, watch, inodes);
  }

  private static ExecutorService pool(String name, int threads) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            IDLE_S,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(), // the kernel bounds how many requests wait
            Thread.ofPlatform().name(name, 0).daemon().factory());
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /** Puts local paths into a filesystem. */
  public FuseHandler around(FuseHandler replicated) {
    return new LocalRouter(this, names, watch, nodes, replicated);
  }

  /** An entry has become visible; on the agent's thread, before its caller is answered. */
  public void applied(LogEntry entry) {
    watch.applied(entry);
  }

  /** Another state has become visible. */
  public void replaced() {
    watch.stale();
  }

  /** The kernel can be told what it must look up again. */
  public void notifyWith(FuseNotifier notifier) {
    survey.notifyWith(notifier);
  }

  /**
   * Opens what there is and says what is local; to be called before the workspace is mounted, so
   * that nobody finds a local name missing. Waits for a slow disk for some seconds.
   */
  public void begin() {
    Future<?> opened = background.submit(this::openWhatThereIs);
    background.execute(() -> survey.say(served()));
    try {
      var _ = opened.get(OPEN_LIMIT_S, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      LOG.warn("the disk of {} is slow: local paths come later", settings.localDir());
    } catch (ExecutionException e) {
      LOG.error("local paths cannot be looked at", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void openWhatThereIs() {
    try {
      if (!watch.now().rules().isEmpty()) {
        var _ = serve();
      } else {
        LocalStore left = LocalStore.openIfThere(settings.localDir(), settings.workspace());
        if (left != null) {
          var _ = serve(left); // patterns that are gone
        }
      }
    } catch (UnusableStore e) {
      isUnusable(e);
    } catch (HostCallFailed e) {
      LOG.debug("nothing is local", e); // said already
    }
  }

  /** The status, as docs/json.md has it; null if there is neither a file nor a local name. */
  public @Nullable ObjectNode status() {
    return survey.status(served(), problem, nodes.size(), open.size());
  }

  /** What serves local files; null as long as there was none. */
  @Nullable Served served() {
    return served;
  }

  /** What serves local files; makes the folder. */
  synchronized Served serve() throws HostCallFailed {
    Served known = served;
    if (known != null) {
      return known;
    }
    try {
      return serve(LocalStore.open(settings.localDir(), settings.workspace()));
    } catch (UnusableStore e) {
      isUnusable(e);
      throw new HostCallFailed(Errno.EIO);
    }
  }

  private synchronized Served serve(LocalStore store) {
    Served known = served;
    if (known != null) {
      store.close();
      return known;
    }
    HostTree tree = new HostTree(store, nodes, open);
    LocalRequests requests = new LocalRequests(store, tree, nodes, open);
    Served now = new Served(store, tree, requests, new LocalListing(requests, tree));
    served = now;
    problem = "";
    return now;
  }

  private void isUnusable(UnusableStore e) {
    String why = String.valueOf(e.getMessage());
    if (!why.equals(problem)) {
      LOG.warn("no path can be local to this host: {}", why);
    }
    problem = why;
  }

  /** Other patterns are in effect. A survey that has not begun yet is about them as well. */
  private void changed() {
    if (!surveying.compareAndSet(false, true)) {
      return;
    }
    try {
      background.execute(
          () -> {
            surveying.set(false);
            try {
              if (!watch.now().rules().isEmpty()) {
                var _ = serve();
              }
            } catch (HostCallFailed e) {
              LOG.debug("nothing is local", e); // said already
            }
            survey.changed(watch.now(), served());
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("the worker ends", e);
    }
  }

  /** A part of a request that waits for the disk, or may do so. */
  @FunctionalInterface
  interface Work {
    void run() throws HostCallFailed;
  }

  /** Does it now; its request is answered by it, or with the errno of what fails. */
  void answer(FuseReply reply, Work work) {
    pages.answer(
        reply,
        () -> {
          try {
            work.run();
          } catch (HostCallFailed e) {
            throw new RequestFailed(e.errno());
          }
        });
  }

  /** Does what is decided in memory. */
  void answerLock(FuseReply reply, PageFetches.Answer call) {
    pages.answer(reply, call);
  }

  /** Does it on a thread that may wait. */
  void answerLater(FuseReply reply, Work work) {
    try {
      disk.execute(
          () -> {
            try {
              answer(reply, work);
            } catch (RuntimeException e) {
              LOG.error("a request about a local path has failed", e);
              reply.error(Errno.EIO);
            }
          });
    } catch (RejectedExecutionException e) {
      reply.error(Errno.EIO); // the worker ends
    }
  }

  /** Ends the threads; to be called when the mount is gone. */
  @Override
  public void close() {
    disk.shutdownNow();
    background.shutdownNow();
    open.close();
    Served last = served;
    if (last != null) {
      last.store.close();
    }
  }
}
