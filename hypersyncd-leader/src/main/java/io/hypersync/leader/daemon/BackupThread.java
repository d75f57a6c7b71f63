package io.hypersync.leader.daemon;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.archive.BackupDirectory;
import io.hypersync.leader.archive.BackupLabel;
import io.hypersync.leader.archive.SnapshotChoice;
import io.hypersync.leader.backup.BackupTask;
import io.hypersync.leader.backup.CopyProgress;
import io.hypersync.leader.backup.StateCopy;
import io.hypersync.leader.snapshot.SnapshotHold;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.runtime.log.LogEvent;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.SleepingRateLimit;
import io.hypersync.snapshot.Snapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Backs states up on a thread of its own, at a limited rate, one backup at a time. It reads the
 * leader's store, and writes only the backup's directory.
 *
 * <p>Every wait ends at once when the leader stops: for the agent, for a snapshot, for the rate.
 * What was copied until then stays, and the next backup goes on with it.
 */
final class BackupThread implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BackupThread.class);
  private static final long NS_PER_MS = 1_000_000;

  private static final long STOP_LIMIT_SECONDS = 10;

  /** How many backups that have ended are remembered. */
  private static final int REMEMBERED = 16;

  private final ChunkStore chunks;
  private final WorkspaceId workspace;
  private final String workspaceName;
  private final Path stateDir;
  private final Clock clock;
  private final SnapshotAccess access;

  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().name("leader-backup").daemon().factory());

  /** The last ones, the oldest first; guarded by this. */
  private final Deque<Ended> ended = new ArrayDeque<>();

  /** Guarded by this. */
  private long begun;

  private volatile @Nullable Current current;

  /**
   * What somebody asks for.
   *
   * @param directory of the backup, absolute
   * @param at which snapshot: a name, an index or a time; empty for the newest state
   * @param repairs whether what the backup has already is read, and stored again if it is damaged
   * @param bytesPerSecond how fast, at least 1
   */
  record Order(Path directory, String at, boolean repairs, long bytesPerSecond) {}

  /**
   * The backup that is under way.
   *
   * @param index of the state; -1 as long as it is not known
   */
  record Current(long number, Path directory, long index, CopyProgress progress) {}

  /**
   * A backup that is over: one of {@code done} and {@code failure} is null.
   *
   * @param number from 1 on, in this run of the leader
   */
  record Ended(long number, Path directory, @Nullable Done done, @Nullable UserError failure) {}

  /** What a backup has done. */
  record Done(Snapshot state, CopyProgress progress, long tookNs) {}

  /**
   * Backs up one leader's states.
   *
   * @param stateDir of the leader, where no backup may be
   * @param ask runs a question on the agent's thread; throws RejectedExecutionException if that has
   *     ended
   * @param post runs a call of the agent on its thread, or drops it if that has ended
   * @param stops completes when the agent answers nothing any more
   */
  BackupThread(
      ChunkStore chunks,
      WorkspaceId workspace,
      String workspaceName,
      Path stateDir,
      Clock clock,
      Consumer<Consumer<LeaderAgent>> ask,
      Consumer<Consumer<LeaderAgent>> post,
      CompletableFuture<Void> stops) {
    this.chunks = chunks;
    this.workspace = workspace;
    this.workspaceName = workspaceName;
    this.stateDir = stateDir;
    this.clock = clock;
    this.access = new SnapshotAccess(ask, post, stops);
  }

  /**
   * Begins a backup; returns its number.
   *
   * @throws UserError if another one is under way, or the leader stops
   */
  synchronized long begin(Order order) {
    access.requireRunning();
    Current other = current;
    if (other != null) {
      throw new UserError(
          "a backup is under way, into " + other.directory,
          "Try again when it is done: ./hypersync backup --status");
    }
    long number = begun + 1;
    current = new Current(number, order.directory, -1, new CopyProgress(0, 0, 0, 0, 0));
    try {
      thread.execute(() -> run(number, order));
    } catch (RejectedExecutionException e) {
      current = null;
      throw SnapshotAccess.stops();
    }
    begun = number;
    return number;
  }

  /** The backup under way; null if there is none. */
  @Nullable Current current() {
    return current;
  }

  /** The last backups that have ended, the oldest first. */
  synchronized List<Ended> ended() {
    return List.copyOf(ended);
  }

  private void run(long number, Order order) {
    long beganNs = clock.monotonicNs();
    @Nullable Done done = null;
    @Nullable UserError failure = null;
    try {
      done = backUp(number, order, beganNs);
      LOG.info(
          LogEvent.BACKUP.marker(),
          "backed up entry {} into {}: {} bytes copied in {} ms",
          done.state.index(),
          order.directory,
          done.progress.copiedBytes(),
          done.tookNs / NS_PER_MS);
    } catch (UserError e) {
      failure = e;
    } catch (RejectedExecutionException e) {
      failure = SnapshotAccess.stops();
    } catch (ChunkStoreException e) {
      failure = BackupDirectory.failed(order.directory, e);
    } catch (RuntimeException | Error e) { // somebody waits for the end
      LOG.error("internal error during a backup", e);
      failure = new UserError("internal error: " + e, "The leader's log says more.");
    }
    if (failure != null && !access.isStopped()) {
      LOG.warn(
          LogEvent.BACKUP_FAILED.marker(),
          "the backup into {} was given up: {}",
          order.directory,
          failure.message());
    }
    synchronized (this) {
      ended.addLast(new Ended(number, order.directory, done, failure));
      if (ended.size() > REMEMBERED) {
        ended.removeFirst();
      }
      current = null;
    }
  }

  private Done backUp(long number, Order order, long beganNs) {
    requireElsewhere(order.directory);
    Instant now = Instant.ofEpochMilli(clock.epochNs() / NS_PER_MS);
    BackupLabel label = new BackupLabel(workspace, workspaceName, now);
    try (BackupDirectory backup = BackupDirectory.openToWrite(order.directory, label)) {
      Snapshot snapshot = snapshot(order.at);
      if (snapshot.index() == 0) {
        throw new UserError("nothing was ever done in the workspace: there is nothing to keep", "");
      }
      backup.requireSameHistory(snapshot);
      SnapshotHold hold = access.hold(snapshot.index());
      if (hold == null) {
        throw new UserError("the snapshot was removed meanwhile", "Try again.");
      }
      try {
        return copied(number, order, snapshot, backup, beganNs);
      } finally {
        access.release(hold);
      }
    }
  }

  private Done copied(
      long number, Order order, Snapshot snapshot, BackupDirectory backup, long beganNs) {
    RateLimit limit = new SleepingRateLimit(order.bytesPerSecond, clock, access::pause);
    try {
      StateCopy copy =
          new StateCopy(
              snapshot.manifest(),
              workspace,
              chunks,
              backup.chunks(),
              order.repairs ? StateCopy.Trust.CONTENT : StateCopy.Trust.INDEX,
              limit,
              HeapBudget.mostBackedUpPages(),
              HeapBudget.mostBackedUpChunks());
      BackupTask task = new BackupTask(snapshot, copy, backup.chunks(), backup.catalog());
      do {
        access.requireRunning();
        current = new Current(number, order.directory, snapshot.index(), task.progress());
      } while (task.step());
      return new Done(task.result(), task.progress(), clock.monotonicNs() - beganNs);
    } catch (StateCopy.SourceException | DecodeException e) {
      throw new UserError(
          "the leader does not have all of entry " + snapshot.index() + ": " + e.getMessage(),
          "A worker may have it: ./hypersync scrub --run, then back up again.");
    } catch (IOException e) {
      throw new UserError(
          "cannot write " + order.directory + ": " + FileProblems.describe(e),
          FileProblems.hint(e, "Then do the same again: it goes on with what is there."));
    }
  }

  private Snapshot snapshot(String at) {
    return at.isEmpty() || at.equals(Moments.HEAD)
        ? access.takeNewest()
        : SnapshotChoice.of(
            access.all(), at, clock.epochNs(), "List them: ./hypersync snapshot list");
  }

  /** In there it would be deleted, or taken for the leader's own, with the leader's state. */
  private void requireElsewhere(Path directory) {
    Path state = real(stateDir);
    Path wanted = real(directory);
    if (wanted.startsWith(state)) {
      throw new UserError(
          directory + " is in the leader's state directory",
          "A backup is for when that is lost: give a directory on another disk.");
    }
  }

  /** The path without symbolic links, as far as it exists. */
  private static Path real(Path path) {
    Path there = path.normalize();
    Path above = there;
    while (above.getParent() != null && Files.notExists(above)) {
      above = above.getParent();
    }
    try {
      return above.toRealPath().resolve(above.relativize(there)).normalize();
    } catch (IOException e) {
      return there; // whoever opens it says what is wrong
    }
  }

  /**
   * Ends a backup that is under way, and waits for the step that it is in, but not for ever: the
   * backup's disk may hang, and that must not keep the leader from stopping. A step reads the
   * leader's store before it writes, and none follows. To be called before the chunk store is
   * closed.
   */
  @Override
  public void close() {
    access.stop();
    thread.shutdown();
    try {
      if (!thread.awaitTermination(STOP_LIMIT_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("the disk of a backup does not answer");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
