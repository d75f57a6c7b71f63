package io.hypersync.worker;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.WriteBehindChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStoreOptions;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageSource;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.runtime.admin.AdminCommand;
import io.hypersync.runtime.admin.AlreadyRunning;
import io.hypersync.runtime.admin.Daemon;
import io.hypersync.runtime.admin.StateLock;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.fault.FaultPoints;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.runtime.log.LogEvent;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotReader;
import io.hypersync.snapshot.SnapshotReader.RoomCheck;
import io.hypersync.snapshot.StoredPages;
import io.hypersync.snapshot.SuspectSnapshots;
import io.hypersync.snapshot.daemon.Snapshots;
import io.hypersync.wire.quic.QuicOptions;
import io.hypersync.wire.quic.QuicWorkerClient;
import io.hypersync.wire.transport.WorkerTransport;
import io.hypersync.wire.transport.WorkerTransportListener;
import io.hypersync.worker.daemon.FetchedPages;
import io.hypersync.worker.daemon.WorkerRuntime;
import io.hypersync.worker.fuse.dev.FuseMountOptions;
import io.hypersync.worker.fuse.dev.MountException;
import io.hypersync.worker.fuse.dev.MountFolder;
import io.hypersync.worker.port.EntryMirror;
import io.hypersync.worker.takeover.Incarnation;
import io.hypersync.worker.takeover.KeeperClient;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The worker as a process: owns the state directory, the chunk store, the mount folder and the
 * runtime.
 */
public final class WorkerDaemon implements Daemon {
  private static final Logger LOG = LoggerFactory.getLogger(WorkerDaemon.class);
  private static final long MIB = 1L << 20;

  /** Pause before the leader is asked again if its snapshot cannot be used. */
  private static final long INSTALL_AGAIN_S = 30;

  private static final Duration LOCK_LIMIT = Duration.ofSeconds(2);
  private static final Duration LOCK_PAUSE = Duration.ofMillis(5);

  private final Path mountPoint;
  private final CompletableFuture<Void> ended;
  private final StateLock lock;

  /** Null if it is not mounted: it is a standby. */
  private final @Nullable MountFolder folder;

  private final EntryMirror mirror;
  private final DiskChunkStore disk;

  /**
   * Write-behind in front of the disk store. A crash may lose chunks: the leader or its log has
   * them all.
   */
  private final WriteBehindChunkStore chunks;

  /** Changed while {@link #beginning} is held, so that a runtime that begins meanwhile has them. */
  private volatile WorkerDaemonOptions options;

  /** What this process has from the one before; null if each begins anew. */
  private final @Nullable Incarnation incarnation;

  private final Function<WorkerTransportListener, WorkerTransport> leaderSide;

  /**
   * Before it is mounted, another one may begin with a snapshot of the leader; null while that is
   * read.
   */
  private volatile @Nullable WorkerRuntime runtime;

  /** Held while another runtime begins. Taken before the monitor of this object. */
  private final Object beginning = new Object();

  private final HandOver handOver;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private volatile boolean stopping;

  /** It has begun to join; what goes wrong before that is no stop. */
  private volatile boolean isJoining;

  /** It has not become ready: a mount that it has taken over waits for another process. */
  private volatile boolean hasFailed;

  private boolean closed;

  private WorkerDaemon(
      WorkerDaemonOptions options,
      Function<WorkerTransportListener, WorkerTransport> leaderSide,
      CompletableFuture<Void> ended,
      StateLock lock,
      @Nullable MountFolder folder,
      EntryMirror mirror,
      @Nullable Incarnation incarnation,
      DiskChunkStore disk,
      WriteBehindChunkStore chunks,
      WorkerRuntime runtime) {
    this.options = options;
    this.incarnation = incarnation;
    this.leaderSide = leaderSide;
    this.mountPoint = options.mountPoint();
    this.ended = ended;
    this.lock = lock;
    this.folder = folder;
    this.mirror = mirror;
    this.disk = disk;
    this.chunks = chunks;
    this.runtime = runtime;
    this.handOver = new HandOver(incarnation, new Leaving());
  }

  /** What a hand-over does with this worker. */
  private final class Leaving implements HandOver.Worker {
    @Override
    public String obstacle(boolean force) {
      return requireRuntime().obstacle(force);
    }

    @Override
    public void prepare() {
      requireRuntime().snapshotSoon();
    }

    @Override
    public boolean leave() throws InterruptedException {
      return requireRuntime().leave();
    }

    @Override
    public void release() {
      requireRuntime().closeLeft();
      chunks.close();
      disk.close();
      lock.close();
    }
  }

  /** Prepares a worker that reaches its leader over QUIC. */
  public static WorkerDaemon start(WorkerDaemonOptions options) {
    return start(options, overQuic(options));
  }

  private static Function<WorkerTransportListener, WorkerTransport> overQuic(
      WorkerDaemonOptions options) {
    return listener ->
        QuicWorkerClient.create(
            options.identity(), options.workspace(), listener, QuicOptions.defaults());
  }

  /**
   * Prepares a worker, which answers status requests from then on; {@link #awaitReady} joins the
   * workspace.
   *
   * @param leaderSide makes the transport to the leader; again only after the last one was shut
   *     down
   * @throws UserError if the state directory is in use or unusable, or nothing can be mounted on
   *     the mount point
   */
  public static WorkerDaemon start(
      WorkerDaemonOptions options, Function<WorkerTransportListener, WorkerTransport> leaderSide) {
    Blake3.vectorFaults().listen(LOG::error);
    StateLock lock = lock(options);
    @Nullable Incarnation incarnation;
    MountFolder folder;
    try {
      incarnation = incarnation(options);
      if (incarnation != null && incarnation.isSuccessor()) {
        FaultPoints.configured().reached(FaultPoints.Moment.MOUNT_TAKEN);
      }
      folder =
          incarnation != null && incarnation.isSuccessor()
              ? MountFolder.taken(
                  incarnation.left().point(),
                  FuseMountOptions.source(options.workspace()),
                  incarnation.left().made())
              : claim(options);
    } catch (UserError e) {
      lock.close();
      throw e;
    }
    return start(options, leaderSide, lock, folder, incarnation, (_, _) -> EntryMirror.NONE);
  }

  /**
   * Prepares a standby: a worker that is not mounted, and whose state directory is one that a
   * leader can lead. It reaches its leader over QUIC.
   *
   * @param options mount point and local directory are not used
   * @param opener opens what keeps the entries
   * @throws UserError if the state directory is in use or unusable, or {@code opener} throws it
   */
  public static WorkerDaemon standby(WorkerDaemonOptions options, MirrorOpener opener) {
    Blake3.vectorFaults().listen(LOG::error);
    StateLock lock =
        StateLock.acquire(options.stateDir(), "the standby " + options.worker().name());
    return start(options, overQuic(options), lock, null, null, opener);
  }

  private static WorkerDaemon start(
      WorkerDaemonOptions options,
      Function<WorkerTransportListener, WorkerTransport> leaderSide,
      StateLock lock,
      @Nullable MountFolder folder,
      @Nullable Incarnation incarnation,
      MirrorOpener opener) {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    DiskChunkStore disk;
    try {
      disk = DiskChunkStore.open(options.stateDir().resolve("chunks"), storeOptions(options));
    } catch (ChunkStoreException e) {
      closeAll(folder, lock);
      throw new UserError(
          String.valueOf(e.getMessage()), "The chunks are in " + options.stateDir() + ".");
    }
    var _ = disk.failed().thenAccept(failure -> endForChunks(ended, failure));
    WriteBehindChunkStore chunks = WriteBehindChunkStore.start(disk, "worker-chunks-out");
    EntryMirror mirror = EntryMirror.NONE;
    try {
      mirror = opener.open(chunks, ended::completeExceptionally);
      WorkerRuntime runtime = runtime(options, leaderSide, chunks, incarnation, ended);
      return new WorkerDaemon(
          options,
          leaderSide,
          ended,
          lock,
          folder,
          mirror,
          incarnation,
          disk,
          chunks,
          mirrored(runtime, mirror));
    } catch (RuntimeException e) {
      mirror.close();
      chunks.close();
      disk.close();
      closeAll(folder, lock);
      throw e;
    }
  }

  /** The lock of a worker that is just ending is waited for, if its mount waits for this one. */
  private static StateLock lock(WorkerDaemonOptions options) {
    String what = "the worker " + options.worker().name();
    long limitNs = System.nanoTime() + LOCK_LIMIT.toNanos();
    while (true) {
      try {
        return StateLock.acquire(options.stateDir(), what);
      } catch (AlreadyRunning e) {
        boolean waits =
            options
                .takeover()
                .map(takeover -> KeeperClient.waitsWith(takeover.socket(), options.mountPoint()))
                .orElse(false);
        if (!waits || System.nanoTime() - limitNs > 0) {
          throw e;
        }
        LockSupport.parkNanos(LOCK_PAUSE.toNanos());
      }
    }
  }

  private static void closeAll(@Nullable MountFolder folder, StateLock lock) {
    if (folder != null) {
      folder.close();
    }
    lock.close();
  }

  /**
   * The same runtime, which has not begun yet. Only a standby is told to mirror: the leader takes
   * whoever does for one that may know more than it was led to believe, and serves on.
   */
  private static WorkerRuntime mirrored(WorkerRuntime runtime, EntryMirror mirror) {
    if (mirror.equals(EntryMirror.NONE)) {
      return runtime;
    }
    mirror.begins(runtime.visibleIndex());
    runtime.mirrorTo(mirror);
    return runtime;
  }

  private static DiskChunkStoreOptions storeOptions(WorkerDaemonOptions options) {
    DiskChunkStoreOptions usual = DiskChunkStoreOptions.DEFAULT;
    return usual.withSegmentBytes(options.cacheLimits().segmentBytes(usual.segmentBytes()));
  }

  /**
   * All parts of a worker, which begins with its newest snapshot. If a page that it needs cannot be
   * read, it begins with one that is whole.
   *
   * @param ended as for {@link WorkerRuntime}
   * @throws UserError if its snapshots cannot be read
   */
  public static WorkerRuntime runtime(
      WorkerDaemonOptions options, WriteBehindChunkStore chunks, CompletableFuture<Void> ended) {
    return runtime(options, overQuic(options), chunks, null, ended);
  }

  private static WorkerRuntime runtime(
      WorkerDaemonOptions options,
      Function<WorkerTransportListener, WorkerTransport> leaderSide,
      WriteBehindChunkStore chunks,
      @Nullable Incarnation incarnation,
      CompletableFuture<Void> ended) {
    try {
      return newRuntime(options, leaderSide, chunks, incarnation, ended);
    } catch (PageUnreadableException e) {
      SuspectSnapshots.of(options.stateDir()).note(e);
      return newRuntime(options, leaderSide, chunks, incarnation, ended);
    }
  }

  private static WorkerRuntime newRuntime(
      WorkerDaemonOptions options,
      Function<WorkerTransportListener, WorkerTransport> leaderSide,
      WriteBehindChunkStore chunks,
      @Nullable Incarnation incarnation,
      CompletableFuture<Void> ended) {
    FetchedPages pages = new FetchedPages(new StoredPages(chunks, RateLimit.NONE));
    return new WorkerRuntime(
        options, leaderSide, chunks, snapshots(options, pages), pages, incarnation, ended);
  }

  private static Snapshots snapshots(WorkerDaemonOptions options, PageSource pages) {
    long droppable = WorkerRuntime.droppableBytes(options.stateMemory());
    try {
      Snapshots snapshots =
          Snapshots.read(
              options.stateDir(),
              options.workspace(),
              droppable == Long.MAX_VALUE ? WorkerDaemon::requireRoomFor : RoomCheck.NONE,
              SnapshotReader.cache(pages, droppable, true));
      if (snapshots.base() > 0) {
        LOG.info("starting from the snapshot of entry {}", snapshots.base());
      }
      return snapshots;
    } catch (IOException | ChunkStoreException e) {
      throw new UserError(
          "cannot read the snapshots: " + e.getMessage(),
          "They are in " + options.stateDir().resolve("snapshots") + ".");
    }
  }

  private static void requireRoomFor(long index, long weight) {
    if (weight > WorkerRuntime.maxStateBytes()) {
      throw new UserError(
          "the state after entry "
              + index
              + " takes "
              + weight / MIB
              + " MiB of memory, and this worker has room for "
              + WorkerRuntime.maxStateBytes() / MIB,
          "Start it with as large a heap as the leader's, such as HYPERSYNC_JAVA_OPTS=-Xmx4g");
    }
  }

  /** A failed chunk store takes no chunk any more, so no entry could be applied. */
  private static void endForChunks(CompletableFuture<Void> ended, ChunkStoreException failure) {
    LOG.error(
        LogEvent.STORE_FAILED.marker(), "the chunk store has failed, the worker stops", failure);
    ended.completeExceptionally(
        new UserError(
            "the chunk store has failed: " + failure.getMessage(),
            "Look at the disk, then start the worker again."));
  }

  /**
   * Joins the workspace, catches up and mounts it. Blocks until it is mounted, and waits for a
   * leader that does not answer yet.
   *
   * @throws UserError if the leader refuses this worker, or the mount fails
   */
  @Override
  public void awaitReady() throws InterruptedException {
    isJoining = true;
    try {
      joinAndMount();
    } catch (RuntimeException e) {
      hasFailed = true;
      throw e;
    }
  }

  private void joinAndMount() throws InterruptedException {
    if (folder != null) {
      cover(folder);
    }
    Snapshot received = requireRuntime().join();
    while (received != null) {
      beginAnew(received);
      received = requireRuntime().join();
    }
    WorkerRuntime joined = requireRuntime();
    if (folder == null) {
      LOG.info("follows the leader, at entry {}", joined.visibleIndex());
    } else {
      joined.mount(folder);
      LOG.info(
          LogEvent.MOUNTED.marker().with("mount", mountPoint),
          "mounted {} at entry {}",
          mountPoint,
          joined.visibleIndex());
    }
  }

  /**
   * Begins with a snapshot that the leader has offered to the runtime. That is closed, and let go,
   * before.
   */
  private void beginAnew(Snapshot received) throws InterruptedException {
    synchronized (beginning) {
      String token = closeRuntime();
      requireOpen();
      WorkerRuntime begun = mirrored(begun(received), mirror);
      // The leader may not have heard of the end yet: it would take this one for a second machine.
      begun.takeUp(token);
      synchronized (this) {
        if (closed) {
          begun.close();
          throw new InterruptedException("closed meanwhile");
        }
        runtime = begun;
      }
    }
  }

  /** A runtime that begins with the snapshot, if it is what it should be. */
  private WorkerRuntime begun(Snapshot received) throws InterruptedException {
    try {
      FetchedPages pages = new FetchedPages(new StoredPages(chunks, RateLimit.NONE));
      PageCache cache =
          SnapshotReader.cache(pages, WorkerRuntime.droppableBytes(options.stateMemory()), true);
      Snapshots snapshots =
          Snapshots.begin(options.stateDir(), options.workspace(), received, cache);
      return new WorkerRuntime(options, leaderSide, chunks, snapshots, pages, incarnation, ended);
    } catch (IOException
        | DecodeException
        | PageMissingException
        | PageUnreadableException
        | ChunkStoreException e) {
      LOG.warn(
          "the leader's snapshot of entry {} cannot be used: {}", received.index(), e.getMessage());
      var _ = stopped.await(INSTALL_AGAIN_S, TimeUnit.SECONDS);
      requireOpen();
      return runtime(options, leaderSide, chunks, incarnation, ended);
    }
  }

  private void requireOpen() throws InterruptedException {
    if (stopping) {
      throw new InterruptedException("closed meanwhile");
    }
  }

  /** Closes what runs, and returns the token of its session; empty if there is none. */
  private synchronized String closeRuntime() {
    WorkerRuntime before = runtime;
    runtime = null;
    if (before == null) {
      return "";
    }
    before.close();
    return before.resumeToken();
  }

  private WorkerRuntime requireRuntime() {
    WorkerRuntime now = runtime;
    if (now == null) {
      throw new UserError("the worker installs a snapshot of the leader", "Try again in a moment.");
    }
    return now;
  }

  private void cover(MountFolder covered) {
    try {
      covered.cover();
    } catch (MountException e) {
      throw new UserError(String.valueOf(e.getMessage()), "");
    } catch (IOException e) {
      throw new UserError(
          "cannot mount on " + mountPoint + ": " + FileProblems.describe(e),
          FileProblems.hint(e, ""));
    }
  }

  private static @Nullable Incarnation incarnation(WorkerDaemonOptions options) {
    if (options.takeover().isEmpty()) {
      return null;
    }
    try {
      return Incarnation.begin(options.takeover().get());
    } catch (IOException e) {
      throw new UserError(
          "cannot take the mount over: " + e.getMessage(), "See: ./hypersync status");
    }
  }

  private static MountFolder claim(WorkerDaemonOptions options) {
    try {
      return MountFolder.claim(options.mountPoint(), FuseMountOptions.source(options.workspace()));
    } catch (MountException e) {
      throw new UserError(String.valueOf(e.getMessage()), "");
    } catch (IOException e) {
      throw new UserError("cannot mount on " + options.mountPoint() + ": " + e.getMessage(), "");
    }
  }

  @Override
  public void beat() {
    WorkerRuntime now = runtime;
    // Without one a snapshot is installed, which nothing waits for in vain; what stops has a limit
    // of its own.
    if (now != null && !stopping) {
      now.beat();
    }
  }

  @Override
  public ObjectNode status() {
    String failure = handOver.lastFailure();
    return requireRuntime().status().put("restart_failed", failure.isEmpty() ? null : failure);
  }

  @Override
  public List<ObjectNode> measured() {
    return List.of(requireRuntime().measured());
  }

  /**
   * What can change while it serves, as it is in force; blocks for the agent's answer.
   *
   * @throws UserError if a snapshot is being read, or the agent does not answer
   */
  public WorkerTuning tuning() {
    return requireRuntime().tuning();
  }

  /**
   * Changes it; blocks until the agent has, and before that for as long as a snapshot of the leader
   * is being taken over, if one is.
   *
   * @throws UserError if the agent does not answer
   */
  public void tune(WorkerTuning changed) {
    synchronized (beginning) {
      options = options.tuned(changed);
      WorkerRuntime now = runtime;
      if (now != null) {
        now.tune(changed);
      }
    }
  }

  /**
   * Whether all chunks of the visible state are here; blocks for the agent's answer.
   *
   * @throws UserError if a snapshot is being read, or the agent does not answer
   */
  public boolean hasAllChunks() {
    return requireRuntime().hasAllChunks();
  }

  @Override
  public Map<String, AdminCommand> adminCommands() {
    return Map.of(
        "stages", _ -> requireRuntime().stages(),
        "profile", args -> requireRuntime().profile(args),
        "gc", args -> requireRuntime().collect(args),
        "hazards", args -> requireRuntime().hazards(args),
        "events", args -> requireRuntime().events(args),
        "mount", args -> requireRuntime().past(args),
        "restart", handOver::begin);
  }

  @Override
  public CompletableFuture<Void> ended() {
    return ended;
  }

  @Override
  public void close() {
    stopping = true;
    stopped.countDown();
    synchronized (beginning) {
      closeAll();
    }
  }

  private synchronized void closeAll() {
    if (closed) {
      return;
    }
    closed = true;
    WorkerRuntime last = runtime;
    try {
      if (last != null) {
        last.close();
      }
    } finally {
      if (incarnation != null && isJoining && !hasFailed && !ended.isCompletedExceptionally()) {
        incarnation.abandon(); // does nothing once it serves
      }
      if (folder != null) {
        folder.close();
      }
    }
    if (last != null && !ended.isCompletedExceptionally()) { // a failed one leaves its state alone
      last.takeLastSnapshot();
    }
    mirror.close();
    chunks.close();
    disk.close();
    lock.close();
    LOG.info("stopped");
    ended.complete(null);
  }
}
