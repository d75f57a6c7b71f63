package io.hypersync.leader.daemon;

import io.hypersync.leader.reservation.ArchiveOptions;
import io.hypersync.leader.reservation.ReservationSource;
import io.hypersync.leader.reservation.ReservationTable;
import io.hypersync.leader.reservation.ReservationView;
import io.hypersync.leader.reservation.SourceFreshness;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.file.FileProblems;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads Agent Mail's archive on a thread of its own, and hands on what is reserved (hypersync.md
 * 10.3). Nothing that is wrong with the archive or slow about it holds the leader up. The kernel
 * tells of changes; everything is looked at again every 30 s, because it may have told too little.
 */
final class ReservationArchive implements ReservationSource {
  private static final Logger LOG = LoggerFactory.getLogger(ReservationArchive.class);
  private static final long MS = 1_000_000;

  /** Between two looks at everything. */
  private static final long SCAN_NS = 30_000 * MS;

  /** The least time between two of them, however much happens. */
  private static final long LEAST_SCAN_NS = 200 * MS;

  /** Until a file is read again that may be half written. */
  private static final long RETRY_NS = 300 * MS;

  /** Entries of a moment ago are decided by reservations that have expired since. */
  private static final long CLOCK_SLACK_NS = 60_000 * MS;

  /** So many changed files, and everything is looked at. */
  private static final int MOST_CHANGED = 10_000;

  private final ArchiveOptions options;
  private final Clock clock;
  private final Consumer<ReservationView> onChange;
  private final ArchiveScan scan;
  private final Thread thread;
  private final Map<WatchKey, Path> watched = new HashMap<>();
  private final Set<Path> watchedPaths = new HashSet<>();

  /** Files that have changed. */
  private final Set<Path> changed = new HashSet<>();

  private @Nullable WatchService watcher;
  private boolean hasWarned;
  private long nextScanNs;
  private long lastScanNs;
  private long lastLookNs;
  private long nextRetryNs = Long.MAX_VALUE;
  private volatile ReservationView view = ReservationView.NOTHING;

  /**
   * Creates the thread without starting it.
   *
   * @param onChange called on the thread with all that is reserved when that may have changed
   */
  ReservationArchive(ArchiveOptions options, Clock clock, Consumer<ReservationView> onChange) {
    this.options = options;
    this.clock = clock;
    this.onChange = onChange;
    this.scan = new ArchiveScan(Path.of(options.archive()), this::watch);
    this.thread = Thread.ofPlatform().daemon().name("leader-reservations").unstarted(this::run);
  }

  @Override
  public void start() {
    thread.start();
  }

  @Override
  public ReservationView view() {
    return view;
  }

  @Override
  public SourceFreshness freshness(ReservationView seen) {
    return seen.freshness(SourceFreshness.Source.ARCHIVE, clock.monotonicNs());
  }

  @Override
  public void close() {
    thread.interrupt();
  }

  private void run() {
    try (WatchService opened = opened()) {
      watcher = opened;
      nextScanNs = clock.monotonicNs();
      while (!Thread.currentThread().isInterrupted()) {
        turn();
        await();
      }
    } catch (InterruptedException | ClosedWatchServiceException | IOException stopped) {
      LOG.debug("reservations are read no more", stopped);
    }
  }

  private @Nullable WatchService opened() {
    try {
      return FileSystems.getDefault().newWatchService();
    } catch (IOException e) {
      warn(e);
      return null;
    }
  }

  private void turn() throws InterruptedException {
    long nowNs = clock.monotonicNs();
    boolean isScan = nowNs >= nextScanNs;
    boolean isRetry = nowNs >= nextRetryNs;
    if (!isScan && !isRetry && changed.isEmpty()) {
      return;
    }
    lastLookNs = nowNs;
    ReservationView before = view;
    Long goodNs = before.goodNs();
    String problem = before.lastError();
    try {
      if (isScan) {
        nextScanNs = nowNs + SCAN_NS;
        lastScanNs = nowNs;
        changed.clear();
        scan.all(clock.epochNs() - CLOCK_SLACK_NS);
        goodNs = nowNs;
        problem = "";
      } else {
        for (Path file : Set.copyOf(changed)) {
          changed.remove(file);
          scan.one(
              projectOf(file), file.getFileName().toString(), clock.epochNs() - CLOCK_SLACK_NS);
        }
        if (isRetry) {
          scan.unfinished(clock.epochNs() - CLOCK_SLACK_NS);
        }
      }
    } catch (ClosedByInterruptException e) {
      throw new InterruptedException();
    } catch (IOException | RuntimeException e) {
      String now = e instanceof IOException io ? FileProblems.describe(io) : e.toString();
      if (!now.equals(problem)) {
        LOG.warn("cannot read reservations in {}: {}", options.archive(), now);
      }
      problem = now;
    }
    if (!scan.hasUnfinished() && changed.isEmpty()) {
      nextRetryNs = Long.MAX_VALUE;
    } else if (isRetry || nextRetryNs == Long.MAX_VALUE) {
      nextRetryNs = nowNs + RETRY_NS;
    }
    ReservationTable table =
        ReservationTable.of(
            scan.reservations(), options.mounts(), clock.epochNs() - CLOCK_SLACK_NS);
    ReservationView now =
        new ReservationView(
            table, goodNs, problem, scan.files(), scan.damaged(), scan.unusable(), scan.unread());
    view = now;
    onChange.accept(now);
  }

  private static String projectOf(Path file) {
    return file.getParent().getParent().getFileName().toString();
  }

  /** Waits until something has changed or it is time. */
  private void await() throws InterruptedException {
    long restNs = lastLookNs + LEAST_SCAN_NS - clock.monotonicNs();
    if (restNs > 0) { // a file that is written all the time is not to keep a processor busy
      TimeUnit.NANOSECONDS.sleep(restNs);
    }
    long untilNs = Math.min(nextScanNs, nextRetryNs) - clock.monotonicNs();
    WatchService from = watcher;
    if (from == null) {
      TimeUnit.NANOSECONDS.sleep(Math.max(untilNs, MS));
      return;
    }
    WatchKey key = from.poll(Math.max(untilNs, MS), TimeUnit.NANOSECONDS);
    while (key != null) {
      Path directory = watched.get(key);
      for (WatchEvent<?> event : key.pollEvents()) {
        if (directory != null) {
          changed(directory, event);
        }
      }
      if (!key.reset()) {
        watched.remove(key);
        watchedPaths.remove(directory);
        scanSoon();
      }
      key = from.poll();
    }
  }

  private void changed(Path directory, WatchEvent<?> event) {
    if (!(event.context() instanceof Path name) || changed.size() >= MOST_CHANGED) {
      scanSoon(); // the kernel had more to tell than it could keep
      return;
    }
    Path root = Path.of(options.archive());
    int depth = directory.getNameCount() - root.getNameCount();
    switch (depth) {
      case 0 -> scanIf(name.toString().equals(ArchiveScan.PROJECTS));
      case 1 -> scanSoon();
      case 2 -> scanIf(name.toString().equals(ArchiveScan.RESERVATIONS));
      default -> changed.add(directory.resolve(name));
    }
  }

  private void scanIf(boolean isNeeded) {
    if (isNeeded) {
      scanSoon();
    }
  }

  private void scanSoon() {
    nextScanNs = Math.min(nextScanNs, lastScanNs + LEAST_SCAN_NS);
  }

  /** Called before a directory is looked into, so that no change of it is missed. */
  private void watch(Path directory) {
    WatchService by = watcher;
    if (by == null || !watchedPaths.add(directory)) {
      return;
    }
    try {
      watched.put(
          directory.register(
              by,
              StandardWatchEventKinds.ENTRY_CREATE,
              StandardWatchEventKinds.ENTRY_MODIFY,
              StandardWatchEventKinds.ENTRY_DELETE),
          directory);
    } catch (IOException e) {
      watchedPaths.remove(directory);
      warn(e);
    }
  }

  private void warn(IOException problem) {
    if (!hasWarned) {
      hasWarned = true;
      LOG.warn(
          "the kernel does not tell of changed reservations, they are known after 30 s: {}",
          FileProblems.describe(problem));
    }
  }
}
