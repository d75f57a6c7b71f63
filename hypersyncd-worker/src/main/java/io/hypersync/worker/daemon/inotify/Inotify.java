package io.hypersync.worker.daemon.inotify;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.state.FsState;
import io.hypersync.worker.coherence.View;
import io.hypersync.worker.fuse.dev.InnerMounts;
import io.hypersync.worker.fuse.session.FuseHandler;
import io.hypersync.worker.fuse.session.FuseNotifier;
import io.hypersync.worker.inotify.ShadowCallRegistry;
import io.hypersync.worker.inotify.ShadowJob;
import io.hypersync.worker.inotify.ShadowPlanner;
import io.hypersync.worker.inotify.ShadowQueue;
import io.hypersync.worker.inotify.VisibleEntry;
import io.hypersync.worker.port.ApplyListener;
import io.hypersync.worker.replica.IndexedState;
import io.hypersync.worker.vfs.KernelInodes;
import io.hypersync.worker.vfs.ShadowRequests;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes local inotify watches report changes of other workers (docs/inotify.md). Three threads: one
 * scans for watches, one plans shadow calls, one has them made. The agent waits for none of them.
 */
public final class Inotify implements ApplyListener, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Inotify.class);

  /**
   * How often the planner runs without being woken: it is not woken while nothing is watched, and
   * the entries of that time are its backlog.
   */
  private static final long IDLE_PAUSE_NS = 1_000_000_000L;

  private final Settings settings;
  private final KernelInodes inodes;
  private final Supplier<View> view;
  private final MountedNames mounts;
  private final ShadowCallRegistry registry = new ShadowCallRegistry();
  private final ShadowQueue queue = new ShadowQueue(ShadowQueue.CAPACITY);
  private final VisibleEntries entries = new VisibleEntries();
  private final AtomicReference<@Nullable Scan> scanned = new AtomicReference<>();
  private final ShadowThread calls;
  private final WatchScanner scanner;
  private final Thread scans =
      Thread.ofPlatform().name("inotify-scan").daemon().unstarted(this::scan);
  private final Thread plans =
      Thread.ofPlatform().name("inotify-plan").daemon().unstarted(this::plan);
  private volatile Map<InodeNo, Integer> watched = Map.of();
  private volatile long missed;
  private volatile boolean stopping;

  /**
   * Settings of the reporter.
   *
   * @param worker this worker; only entries of other origins are reported
   * @param mountPoint the worker's mount
   * @param device the mount's device number, as fdinfo shows it
   * @param interval pause between two scans
   */
  public record Settings(WorkerId worker, Path mountPoint, long device, Duration interval) {}

  /** The watches that a scan has found, and the visible index when it began. */
  private record Scan(Map<NodeId, Integer> masks, long began) {}

  /** Starts no thread yet. */
  public Inotify(Settings settings, KernelInodes inodes, FuseNotifier kernel, Supplier<View> view) {
    this.settings = settings;
    this.inodes = inodes;
    this.view = view;
    this.mounts = new MountedNames(new InnerMounts(settings.device()), inodes, view);
    ShadowRunner runner = new ShadowRunner(registry, inodes, kernel, view, mounts);
    this.calls = new ShadowThread(registry, runner, queue, settings.mountPoint(), kernel.calls());
    this.scanner = new WatchScanner(settings.device());
  }

  /** Wraps the filesystem so that requests of shadow calls are answered from their jobs. */
  public FuseHandler around(FuseHandler filesystem) {
    return new ShadowRequests(filesystem, registry, inodes, view, mounts);
  }

  /** Starts the threads. Entries must be passed to {@link #applied} from before this call on. */
  public void start() {
    calls.start();
    plans.start();
    scans.start();
  }

  /** An entry has become visible; on the agent's thread, which never waits here. */
  @Override
  public void applied(LogEntry entry, FsState before, FsState after) {
    boolean remote = !entry.origin().equals(settings.worker());
    add(new VisibleEntry(entry.index(), remote, entry.op(), before, after));
  }

  @Override
  public void replaced(IndexedState before, IndexedState after) {
    add(new VisibleEntry(after.index(), true, null, before.state(), after.state()));
  }

  private void add(VisibleEntry entry) {
    boolean active = !watched.isEmpty();
    entries.add(entry, active);
    if (active) {
      LockSupport.unpark(plans);
    }
  }

  /** Counters for the status report. */
  public ObjectNode status() {
    ObjectNode status = JsonNodeFactory.instance.objectNode();
    status.put("watched", watched.size());
    status.put("shadow_calls", calls.made());
    status.put("merged", queue.merged());
    status.put("dropped", queue.dropped() + missed);
    status.put("given_up", calls.givenUp());
    return status;
  }

  /** Ends the threads and the shadow process; to be called before the mount ends. */
  @Override
  public void close() {
    stopping = true;
    LockSupport.unpark(scans);
    LockSupport.unpark(plans);
    calls.close();
  }

  private void scan() {
    while (!stopping) {
      try {
        long began = view.get().visible().index();
        Map<InodeNo, Integer> masks = scanner.scan(calls.pid());
        Map<NodeId, Integer> nodes = new HashMap<>();
        masks.forEach(
            (inode, mask) -> {
              NodeId node = inodes.node(inode);
              if (node != null) {
                nodes.put(node, mask);
              }
            });
        watched.keySet().stream()
            .filter(inode -> !masks.containsKey(inode))
            .forEach(calls::unwatched);
        watched = masks;
        offer(new Scan(Map.copyOf(nodes), began));
      } catch (RuntimeException e) {
        LOG.error("cannot look for watches", e);
      }
      LockSupport.parkNanos(settings.interval().toNanos());
    }
  }

  /**
   * If the planner has not taken the previous scan yet, the new one replaces it but keeps the
   * earlier beginning, so that no entry in between is left out.
   */
  private void offer(Scan scan) {
    scanned.getAndAccumulate(
        scan, (waiting, next) -> waiting == null ? next : new Scan(next.masks(), waiting.began()));
    if (!scan.masks().isEmpty()) {
      calls.wake();
    }
    LockSupport.unpark(plans);
  }

  private void plan() {
    IndexedState now = view.get().visible();
    ShadowPlanner planner = new ShadowPlanner(now.index(), now.state(), this::queue);
    while (!stopping) {
      try {
        Scan scan = scanned.getAndSet(null);
        entries.take().forEach(planner::shown);
        if (scan != null) {
          planner.scanned(scan.masks(), scan.began());
        }
        missed = planner.missed();
      } catch (RuntimeException e) {
        LOG.error("cannot find out what watchers have missed", e);
      }
      LockSupport.parkNanos(IDLE_PAUSE_NS);
    }
  }

  private void queue(ShadowJob job) {
    if (!queue.offer(job) && Long.bitCount(queue.dropped()) == 1) {
      LOG.warn("{} events for local watchers were dropped: too many wait", queue.dropped());
    }
    calls.wake();
  }
}
