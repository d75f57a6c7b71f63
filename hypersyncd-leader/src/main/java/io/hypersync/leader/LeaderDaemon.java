package io.hypersync.leader;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.database.DatabaseException;
import io.hypersync.chunkstore.database.DatabaseOptions;
import io.hypersync.chunkstore.database.RocksDatabase;
import io.hypersync.chunkstore.disk.DiskChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStoreOptions;
import io.hypersync.leader.conversion.LogConversion;
import io.hypersync.leader.daemon.AdminSurface;
import io.hypersync.leader.daemon.DeposedFile;
import io.hypersync.leader.daemon.HeapBudget;
import io.hypersync.leader.daemon.HomeFile;
import io.hypersync.leader.daemon.LeaderRuntime;
import io.hypersync.leader.daemon.LineageFile;
import io.hypersync.leader.daemon.PastCatalog;
import io.hypersync.leader.daemon.RestoreCatalog;
import io.hypersync.leader.daemon.RootThread;
import io.hypersync.leader.daemon.SnapshotsOnThread;
import io.hypersync.leader.daemon.TermFile;
import io.hypersync.leader.daemon.WindowFiles;
import io.hypersync.leader.leadership.LeaderGate;
import io.hypersync.leader.lineage.Lineage;
import io.hypersync.leader.lineage.Term;
import io.hypersync.leader.oplog.CommittedBatch;
import io.hypersync.leader.oplog.OpLogCorruptException;
import io.hypersync.leader.oplog.OpLogFailedException;
import io.hypersync.leader.oplog.OpLogFullException;
import io.hypersync.leader.oplog.OpLogListener;
import io.hypersync.leader.oplog.OpLogOptions;
import io.hypersync.leader.oplog.RootVersionException;
import io.hypersync.leader.oplog.chronicle.ChronicleOpLog;
import io.hypersync.leader.oplog.chronicle.CutMark;
import io.hypersync.leader.oplog.chronicle.LogCut;
import io.hypersync.leader.recovery.LeaderState;
import io.hypersync.leader.recovery.LogReplay;
import io.hypersync.leader.recovery.ReplayException;
import io.hypersync.leader.recovery.ReplaySnapshots;
import io.hypersync.leader.recovery.ReplayStart;
import io.hypersync.leader.recovery.StateTooLargeException;
import io.hypersync.leader.sequencer.IntentIndex;
import io.hypersync.leader.sequencer.IntentRetention;
import io.hypersync.leader.sequencer.IntentStore;
import io.hypersync.leader.sequencer.IntentStoreException;
import io.hypersync.leader.standby.StandbyFile;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.snapshot.ManifestStates;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.runtime.admin.AdminCommand;
import io.hypersync.runtime.admin.Daemon;
import io.hypersync.runtime.admin.StateLock;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.fault.FaultPoints;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.runtime.log.LogEvent;
import io.hypersync.runtime.text.HostPorts;
import io.hypersync.runtime.text.ShellWords;
import io.hypersync.snapshot.CollectedFile;
import io.hypersync.snapshot.SnapshotReader;
import io.hypersync.snapshot.SnapshotReader.RoomCheck;
import io.hypersync.snapshot.SuspectSnapshots;
import io.hypersync.snapshot.daemon.Snapshots;
import io.hypersync.wire.quic.LeaderBindException;
import io.hypersync.wire.transport.WorkerTransport;
import io.hypersync.wire.transport.WorkerTransportListener;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leader process: takes the state directory, recovers the log, then runs the network and the
 * agent.
 */
public final class LeaderDaemon implements Daemon {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderDaemon.class);

  private static final String LOOK_AT_THE_DISK =
      "Look at the disk, then start the leader again: it recovers what was acknowledged.";

  /** Tests have small segments, so that a small collection deletes some. */
  private static final DiskChunkStoreOptions CHUNKS =
      DiskChunkStoreOptions.DEFAULT.withSegmentBytes(
          Long.getLong(
              "hypersync.chunks.segment_bytes", DiskChunkStoreOptions.DEFAULT.segmentBytes()));

  /** A replay of so many entries takes some seconds. */
  private static final long SNAPSHOT_EVERY = 250_000;

  /** Enough cache for the filters of twenty million intents. */
  private static final DatabaseOptions INTENTS = new DatabaseOptions(64 << 20, 16 << 20);

  private final CompletableFuture<Void> ended;
  private final StateLock lock;
  private final DiskChunkStore chunks;
  private final RocksDatabase intentRows;
  private final ChronicleOpLog log;
  private final LeaderRuntime runtime;
  private final LeaderGate gate;
  private boolean closed;

  private LeaderDaemon(
      CompletableFuture<Void> ended,
      StateLock lock,
      DiskChunkStore chunks,
      RocksDatabase intentRows,
      ChronicleOpLog log,
      LeaderRuntime runtime,
      LeaderGate gate) {
    this.ended = ended;
    this.lock = lock;
    this.chunks = chunks;
    this.intentRows = intentRows;
    this.log = log;
    this.runtime = runtime;
    this.gate = gate;
    // It ends by itself; whatever acts has been stopped by the gate before.
    gate.onLost(
        why -> {
          LOG.error(
              LogEvent.NOT_LEADING.marker(),
              "this process does not lead any more, and stops: {}",
              why);
          ended.complete(null);
        });
  }

  /**
   * Recovers the state and starts leading. Blocks during recovery; returns when workers can
   * connect.
   *
   * @throws UserError if the state directory is in use, damaged or full, or the address is taken
   */
  public static LeaderDaemon start(LeaderDaemonOptions options) {
    return start(options, null);
  }

  /**
   * The same, for a leader in whose process a worker runs.
   *
   * @param mount that worker, which connects by {@link #workerHere}; null if there is none
   */
  public static LeaderDaemon start(LeaderDaemonOptions options, @Nullable WorkerId mount) {
    try {
      return startOnce(options, mount);
    } catch (PageUnreadableException e) {
      SuspectSnapshots.of(options.stateDir()).note(e);
    }
    try {
      return startOnce(options, mount); // which reads all pages, and takes a snapshot that is whole
    } catch (PageUnreadableException e) {
      throw new UserError(
          "page " + e.page() + " of the state cannot be read: " + e.getMessage(),
          LOOK_AT_THE_DISK + " A page that is lost can be had from a backup only.");
    }
  }

  private static LeaderDaemon startOnce(LeaderDaemonOptions options, @Nullable WorkerId mount) {
    Path stateDir = options.stateDir();
    Blake3.vectorFaults().listen(LOG::error);
    CompletableFuture<Void> ended = new CompletableFuture<>();
    StateLock lock = StateLock.acquire(stateDir, "the leader of " + options.workspaceName());
    @Nullable DiskChunkStore chunks = null;
    @Nullable RocksDatabase intentRows = null;
    @Nullable ChronicleOpLog log = null;
    try {
      StandbyFile.refuse(stateDir);
      DeposedFile.refuse(stateDir, options.seat().rewind());
      HomeFile.require(stateDir, options.seat().moved());
      Lineage lineage = LineageFile.read(stateDir);
      Term term = TermFile.read(stateDir);
      requireFinishedConversion(stateDir);
      requireFinishedCut(stateDir);
      Path chunkDir = stateDir.resolve("chunks");
      DurableFiles.createDirectories(chunkDir); // the store syncs only what is inside
      chunks = DiskChunkStore.open(chunkDir, CHUNKS);
      var _ = chunks.failed().thenAccept(failure -> endForChunks(ended, failure));
      Path intentDir = stateDir.resolve("intents");
      DurableFiles.createDirectories(intentDir);
      intentRows = RocksDatabase.open(intentDir, INTENTS);
      IntentIndex intents =
          new IntentIndex(
              new IntentStore(intentRows, IntentRetention.DEFAULT), IntentIndex.DEFAULT_BATCH);
      DurabilityEvents events = new DurabilityEvents(ended);
      long droppable = HeapBudget.droppable(options.stateMemory(), options.stateHeapShare());
      Snapshots snapshots =
          Snapshots.read(
              stateDir,
              options.workspace(),
              droppable == Long.MAX_VALUE ? LeaderDaemon::requireRoomFor : RoomCheck.NONE,
              SnapshotReader.cache(chunks, droppable, true));
      CollectedFile mark = CollectedFile.open(stateDir, snapshots.catalog().indexes());
      ReplayStart from =
          replayStart(snapshots)
              .provenBy(snapshots.known())
              .collectedThrough(mark.through())
              .in(snapshots.cache().dirty())
              .restoring(
                  ManifestStates.lazy(options.workspace(), RootVersion.LATEST, snapshots.cache()));
      ReplaySnapshots saved =
          new ReplaySnapshots(
              options.workspace(),
              chunks,
              snapshots.catalog(),
              snapshots.cache(),
              Clock.SYSTEM::epochNs,
              from.index(),
              SNAPSHOT_EVERY);
      LeaderState recovered;
      try (RootThread hashing = new RootThread()) {
        LogReplay replay =
            new LogReplay(
                from,
                chunks,
                intents,
                LogReplay.LONG_RUNS,
                hashing,
                HeapBudget.dirtyAtStart(droppable),
                index -> LOG.info("replayed {} entries", index));
        replay.saveTo(new SnapshotsOnThread(saved));
        WindowFiles windows = new WindowFiles(stateDir);
        replay.follow(windows.read(from.index(), from.state().root()), windows);
        log =
            ChronicleOpLog.open(
                stateDir.resolve("oplog"),
                OpLogOptions.DEFAULT
                    .within(options.logRetention().maxBytes())
                    .withBatches(
                        options.batchMaxOps(),
                        (int) Math.min(options.batchMaxBytes(), Integer.MAX_VALUE)),
                chunks::sync,
                replay,
                events);
        recovered = replay.result();
        if (replay.lostChunks() > 0) {
          LOG.error(
              "{} chunks of files are missing, though no collection can have taken them, unless the"
                  + " log was cut: reads of them fail",
              replay.lostChunks());
        }
      }
      LOG.info(
          "recovered entry {} with root {}, {} nodes",
          recovered.index(),
          recovered.root(),
          recovered.state().nodes().size());
      snapshots = snapshots.with(saved.taken(), saved.newest());
      PastCatalog past = PastCatalog.read(stateDir, options.workspace(), log, recovered);
      RestoreCatalog restores = RestoreCatalog.read(stateDir, log, recovered.index());
      LeaderRuntime runtime =
          LeaderRuntime.start(
              options,
              mount,
              rewound(options, lineage, recovered.index()),
              term,
              recovered,
              log,
              chunks,
              snapshots,
              mark,
              past,
              restores,
              ended);
      events.begin(runtime);
      LOG.info(
          LogEvent.LEADING.marker().with("workspace", options.workspaceName()),
          "leading workspace {} on {}",
          options.workspaceName(),
          HostPorts.numeric(runtime.address()));
      return new LeaderDaemon(ended, lock, chunks, intentRows, log, runtime, options.seat().gate());
    } catch (PageUnreadableException e) {
      closeAll(log, intentRows, chunks, lock);
      throw e;
    } catch (IOException | RuntimeException e) {
      closeAll(log, intentRows, chunks, lock);
      throw explained(e, stateDir);
    }
  }

  /** The lineage that begins now, if the user wants one. */
  private static Lineage rewound(LeaderDaemonOptions options, Lineage lineage, long index) {
    Optional<String> name = options.seat().rewind();
    if (name.isEmpty() || LineageFile.isDone(lineage, name.get())) {
      return lineage;
    }
    LOG.warn("what workers have seen after entry {} is given up: lineage {}", index, name.get());
    return LineageFile.rewind(options.stateDir(), lineage, index, name.get());
  }

  private static ReplayStart replayStart(Snapshots snapshots) {
    Manifest newest = snapshots.newest();
    if (newest == null) {
      return ReplayStart.genesis(RootVersion.LATEST);
    }
    LOG.info("starting from the snapshot of entry {}", newest.index());
    return ReplayStart.of(newest);
  }

  private static void requireRoomFor(long index, long weight) {
    if (weight > HeapBudget.mostAtStart()) {
      throw new StateTooLargeException(index, weight, HeapBudget.mostAtStart());
    }
  }

  private static void requireFinishedCut(Path stateDir) throws IOException {
    Optional<CutMark> cut = LogCut.unfinished(stateDir);
    if (cut.isPresent()) {
      throw new UserError(
          "a cut of the log after entry " + cut.get().after() + " was interrupted",
          "Finish it: ./hypersync cut-log --dir <workspace folder> --after "
              + cut.get().after()
              + " --yes");
    }
  }

  /** Without this the leader would find no log in the middle of a conversion, and begin one. */
  private static void requireFinishedConversion(Path stateDir) throws IOException {
    if (LogConversion.isUnfinished(stateDir)) {
      throw new UserError(
          "the conversion of the log in " + stateDir + " was interrupted",
          "Finish it: ./hypersync convert " + ShellWords.quoted(stateDir));
    }
  }

  /** The side of the worker in this process, as {@link LeaderRuntime#workerHere}. */
  public WorkerTransport workerHere(WorkerTransportListener listener) {
    return runtime.workerHere(listener);
  }

  @Override
  public void beat() {
    runtime.beat();
  }

  /** What can change while it leads, as it is in force; blocks for the agent's answer. */
  public LeaderTuning tuning() {
    return runtime.tuning();
  }

  /**
   * Changes it; blocks until the agent has.
   *
   * @param change gives what is to be in force, of what is
   * @throws UserError if the agent does not answer
   */
  public void tune(UnaryOperator<LeaderTuning> change) {
    runtime.tune(change);
  }

  @Override
  public ObjectNode status() {
    return runtime.status();
  }

  @Override
  public List<ObjectNode> measured() {
    return List.of(runtime.measured());
  }

  @Override
  public Map<String, AdminCommand> adminCommands() {
    Map<String, AdminCommand> commands = new HashMap<>();
    for (AdminSurface surface : AdminSurface.values()) {
      commands.put(surface.command(), surface.behind(gate, answer(surface)));
    }
    return commands;
  }

  private AdminCommand answer(AdminSurface surface) {
    return switch (surface) {
      case LOG -> args -> runtime.log(args);
      case WHO -> args -> runtime.who(args);
      case HAZARDS -> args -> runtime.hazards(args);
      case RESERVATIONS -> _ -> runtime.reservations();
      case PLACE -> args -> runtime.placement(args);
      case PEERS -> args -> runtime.peers(args);
      case EVENTS -> args -> runtime.events(args);
      case CERTIFICATES -> args -> runtime.certificates(args);
      case MESSAGE -> args -> runtime.message(args);
      case LOCKS -> args -> runtime.locks(args);
      case STAGES -> args -> runtime.stages(intents(args.path("intents")));
      case SNAPSHOT -> args -> runtime.snapshot(args);
      case GC -> args -> runtime.collection(args);
      case SCRUB -> args -> runtime.scrub(args);
      case BACKUP -> args -> runtime.backup(args);
      case DIFF -> args -> runtime.diff(args);
      case RESTORE -> args -> runtime.restore(args);
      case UNDO -> args -> runtime.undo(args);
      case VISIBILITY -> args -> runtime.visibility(args);
    };
  }

  /**
   * Parses the intent ids of a {@code stages} request.
   *
   * @throws UserError if one of them is not an intent id
   */
  private static Set<IntentId> intents(JsonNode names) {
    Set<IntentId> intents = new HashSet<>();
    for (JsonNode name : names) {
      try {
        intents.add(IntentId.parse(name.asText()));
      } catch (IllegalArgumentException e) {
        throw new UserError("\"intents\": " + e.getMessage(), "");
      }
    }
    return intents;
  }

  @Override
  public CompletableFuture<Void> ended() {
    return ended;
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    runtime.close();
    if (!ended.isDone()) { // a leader that has failed leaves its state alone
      runtime.takeLastSnapshot();
    }
    closeAll(log, intentRows, chunks, lock);
    LOG.info("stopped");
    ended.complete(null);
  }

  private static void closeAll(
      @Nullable ChronicleOpLog log,
      @Nullable RocksDatabase intentRows,
      @Nullable DiskChunkStore chunks,
      StateLock lock) {
    try (lock;
        AutoCloseable _ = intentRows == null ? () -> {} : intentRows;
        AutoCloseable _ = chunks == null ? () -> {} : chunks;
        AutoCloseable _ = log == null ? () -> {} : log) {
      LOG.debug("closing the log, the chunks, the intents, and the lock");
    } catch (Exception e) {
      LOG.error("while stopping", e);
    }
  }

  /** A failed chunk store would refuse every upload of every worker; a restart recovers it. */
  private static void endForChunks(CompletableFuture<Void> ended, ChunkStoreException failure) {
    LOG.error(
        LogEvent.STORE_FAILED.marker(), "the chunk store has failed, the leader stops", failure);
    ended.completeExceptionally(
        new UserError("the chunk store has failed: " + failure.getMessage(), LOOK_AT_THE_DISK));
  }

  private static RuntimeException explained(Exception e, Path stateDir) {
    return switch (e) {
      case UserError known -> known;
      case LeaderBindException bind -> new UserError(String.valueOf(bind.getMessage()), "");
      case OpLogCorruptException corrupt ->
          new UserError(
              String.valueOf(corrupt.getMessage()),
              "The leader does not start on a damaged log: restore "
                  + stateDir
                  + " from a copy, or ask for help before anything is deleted.");
      case RootVersionException roots ->
          new UserError(
              String.valueOf(roots.getMessage()),
              roots.isOlder()
                  ? "Convert it, which keeps the old log: ./hypersync convert "
                      + ShellWords.quoted(stateDir)
                  : "A later version of HyperSync has written it: start that one.");
      case StateTooLargeException large ->
          new UserError(
              String.valueOf(large.getMessage()),
              "Start it with a larger heap, such as HYPERSYNC_JAVA_OPTS=-Xmx"
                  + HeapBudget.twiceMib()
                  + "m; the workers need as much.");
      case ReplayException replay ->
          new UserError(
              String.valueOf(replay.getMessage()),
              "The leader does not start on a log that it cannot replay exactly.");
      case OpLogFullException full ->
          new UserError(
              "no room for the log: " + full.getMessage(), "Free space on the disk of " + stateDir);
      case IntentStoreException intents ->
          new UserError(
              String.valueOf(intents.getMessage()),
              "Starting could commit a change twice. Restore "
                  + stateDir
                  + " from a copy, with the log and the intents of the same time.");
      case DatabaseException database ->
          new UserError(
              String.valueOf(database.getMessage()),
              database.errno() == Errno.ENOSPC
                  ? "Free space on the disk of " + stateDir
                  : "The committed intents are in "
                      + stateDir.resolve("intents")
                      + ". If the log begins at entry 1, move that folder away: it is made again"
                      + " from the log. Otherwise restore both from a copy.");
      case ChunkStoreException chunk ->
          new UserError(String.valueOf(chunk.getMessage()), "The chunks are in " + stateDir);
      case RuntimeException unexpected -> unexpected;
      default ->
          new UserError(
              "cannot use " + stateDir + ": " + FileProblems.describe(e), FileProblems.hint(e, ""));
    };
  }

  /**
   * Forwards events of the log's writer. The log opens before the runtime exists: until {@link
   * #begin}, commits are dropped here, and {@code begin} wakes the loop to catch up.
   */
  private static final class DurabilityEvents implements OpLogListener {
    private final CompletableFuture<Void> ended;
    private final FaultPoints faults = FaultPoints.configured();
    private volatile @Nullable LeaderRuntime runtime;

    DurabilityEvents(CompletableFuture<Void> ended) {
      this.ended = ended;
    }

    void begin(LeaderRuntime started) {
      runtime = started;
      started.wake();
    }

    @Override
    public void onDurable(CommittedBatch batch) {
      LeaderRuntime started = runtime;
      if (started != null) {
        started.committed(batch);
      }
    }

    @Override
    public void onWithdrawn() {
      faults.reached(FaultPoints.Moment.SEGMENT_WITHDRAWN);
    }

    @Override
    public void onFailure(OpLogFailedException failure) {
      // Nothing more may be acknowledged, and nothing will be: durableIndex never moves again.
      LOG.error(LogEvent.STORE_FAILED.marker(), "the log has failed, the leader stops", failure);
      ended.completeExceptionally(
          new UserError("the log has failed: " + failure.getMessage(), LOOK_AT_THE_DISK));
    }
  }
}
