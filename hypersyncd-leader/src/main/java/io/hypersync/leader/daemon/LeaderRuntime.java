package io.hypersync.leader.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializable;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.database.DatabaseException;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.LeaderConfig;
import io.hypersync.leader.LeaderDaemonOptions;
import io.hypersync.leader.LeaderTuning;
import io.hypersync.leader.collection.CollectionManager;
import io.hypersync.leader.collection.CollectionTask;
import io.hypersync.leader.daemon.mail.AgentMailClient;
import io.hypersync.leader.daemon.mail.HttpReservations;
import io.hypersync.leader.daemon.mail.MailThread;
import io.hypersync.leader.dataplane.DataPlaneSettings;
import io.hypersync.leader.lineage.DeposedException;
import io.hypersync.leader.lineage.Lineage;
import io.hypersync.leader.lineage.OldStateException;
import io.hypersync.leader.lineage.Term;
import io.hypersync.leader.oplog.CommittedBatch;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.oplog.OpLogCorruptException;
import io.hypersync.leader.port.SessionPort;
import io.hypersync.leader.recovery.LeaderState;
import io.hypersync.leader.recovery.WrongRootException;
import io.hypersync.leader.reservation.ReservationSource;
import io.hypersync.leader.reservation.ReservationView;
import io.hypersync.leader.snapshot.LoggedChunks;
import io.hypersync.leader.syncstandby.SyncStandbys;
import io.hypersync.leader.syncstandby.SyncedLog;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.snapshot.ManifestStates;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.runtime.admin.Daemon;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.AgentLoop;
import io.hypersync.runtime.agent.AgentQueries;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.agent.Periodic;
import io.hypersync.runtime.fault.FaultPoints;
import io.hypersync.runtime.fault.FaultPoints.Moment;
import io.hypersync.runtime.memory.HeapRoom;
import io.hypersync.snapshot.CollectionMark;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.StoredPages;
import io.hypersync.snapshot.daemon.PageMemoryStatus;
import io.hypersync.snapshot.daemon.SnapshotThread;
import io.hypersync.snapshot.daemon.Snapshots;
import io.hypersync.snapshot.schedule.SnapshotManager;
import io.hypersync.wire.local.LocalLeaderTransport;
import io.hypersync.wire.local.OwningListener;
import io.hypersync.wire.message.Feature;
import io.hypersync.wire.message.Features;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.NegotiatedParams;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.quic.LeaderBindException;
import io.hypersync.wire.quic.QuicLeaderServer;
import io.hypersync.wire.quic.QuicOptions;
import io.hypersync.wire.transport.LeaderTransport;
import io.hypersync.wire.transport.PathFigures;
import io.hypersync.wire.transport.SessionId;
import io.hypersync.wire.transport.WorkerTransport;
import io.hypersync.wire.transport.WorkerTransportListener;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Wires the agent to its transport and helper threads, and owns them. */
public final class LeaderRuntime implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderRuntime.class);
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(3);

  /** How long the leader waits at its end for the log's writer, in ms. */
  private static final long LAST_WRITES_MS = 5_000;

  /** While one batch is synced, the next one can be completed. */
  private static final int BATCHES_AHEAD = 2;

  /** What one step of verification reads: a MiB of the log, and the chunks of it. */
  private static final long VERIFIED_STEP_BYTES = 2L << 20;

  private final LeaderDaemonOptions options;

  /** What it says is durable waits for standbys, if any are waited for. */
  private final OpLog log;

  /** The log on this disk. */
  private final OpLog ownLog;

  private final ChunkStore chunkStore;
  private final LeaderTransport transport;

  /** The same, if a worker runs in this process; else null. */
  private final @Nullable LocalLeaderTransport beside;

  private final LeaderChunks chunks;
  private final LogReader logReader;
  private final RootAuditor auditor;
  private final PageCache pages;
  private final SnapshotThread snapshotThread;
  private final SnapshotRequests snapshotRequests;
  private final CollectionThread collectionThread;
  private final CollectionRequests collectionRequests;
  private final ScrubThread scrubThread;
  private final ScrubRequests scrubRequests;
  private final BackupThread backupThread;
  private final BackupRequests backupRequests;
  private final DiffRequests diffRequests;
  private final RestoreRequests restoreRequests;
  private final RestoreExecution restoreExecution;
  private final UndoRequests undoRequests;
  private final LogRequests logRequests;
  private final WhoRequests whoRequests;
  private final RestoreAllRequests restoreAllRequests;
  private final PlacementRequests placementRequests;
  private final PresenceRequests presenceRequests;
  private final CertificateRequests certificateRequests;
  private final VisibilityRequests visibilityRequests;
  private final SlowRequests slowRequests;

  /** Resume tokens are signed here: that takes milliseconds, which the loop does not have. */
  private final ExecutorService tokenSigner =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().name("leader-resume-tokens").daemon().factory());

  private final SlowRequests quickRequests;
  private final PastThread pastThread;
  private final RestoreHoldThread restoreThread;
  private final Moments moments;
  private final @Nullable AgentMailClient mailClient;
  private final @Nullable MailThread mailThread;
  private final ReservationSource reservationSource;
  private final WindowFiles windows;
  private final ReservationStatus reservationStatus;
  private final IntentWriter intentWriter;
  private final LogTrimmer trimmer;
  private final LeaderAgent agent;
  private final AgentLoop<LeaderAgent> loop;
  private final AgentQueries<LeaderAgent> questions;
  private final Periodic freeSpace;
  private final CommitStats commits = new CommitStats();
  private final LeaderStages stages = new LeaderStages(Clock.SYSTEM);
  private final long startedNs = Clock.SYSTEM.monotonicNs();

  private LeaderRuntime(
      LeaderDaemonOptions options,
      Lineage lineage,
      Term term,
      LeaderState recovered,
      OpLog ownLog,
      ChunkStore chunkStore,
      LeaderTransport transport,
      @Nullable LocalLeaderTransport beside,
      @Nullable WorkerId mount,
      @Nullable MulticastSender multicast,
      Snapshots snapshots,
      CollectionMark mark,
      PastCatalog pastCatalog,
      RestoreCatalog restores,
      CompletableFuture<Void> ended) {
    this.options = options;
    this.ownLog = ownLog;
    SyncRecordFile syncRecord = new SyncRecordFile(options.stateDir());
    SyncStandbys standbys =
        new SyncStandbys(
            options.syncStandbys(),
            syncRecord.read(),
            recovered.index(),
            ownLog::durableIndex,
            syncRecord,
            Clock.SYSTEM);
    OpLog log = standbys.isOn() ? new SyncedLog(ownLog, standbys) : ownLog;
    this.log = log;
    this.chunkStore = chunkStore;
    this.windows = new WindowFiles(options.stateDir());
    this.transport = transport;
    this.beside = beside;
    // The helpers call back through `loop`, which exists before they are given any work.
    FaultPoints faults = FaultPoints.configured();
    this.chunks =
        new LeaderChunks(
            chunkStore,
            transport,
            options.windowEntries(),
            multicast,
            call -> loop().post(call),
            faults);
    this.logReader = new LogReader(ownLog, transport, call -> loop().post(call));
    this.freeSpace =
        new Periodic(
            "leader-free-space",
            "the leader",
            () -> {
              long bytes = options.stateDir().toFile().getUsableSpace();
              loop().post(agent -> agent.freeBytes(bytes));
            });
    this.auditor =
        new RootAuditor(
            log,
            ManifestStates.verifying(
                options.workspace(),
                RootVersion.LATEST,
                new StoredPages(chunkStore, RateLimit.NONE)),
            call -> loop().post(call));
    this.pages = snapshots.cache();
    this.snapshotThread =
        new SnapshotThread(
            "leader-snapshots",
            this::beforeSnapshot,
            chunkStore,
            snapshots.catalog(),
            snapshots.cache(),
            call -> loop().post(agent -> call.accept(agent.snapshots())));
    this.collectionThread =
        new CollectionThread(
            chunks,
            limit ->
                new CollectionTask.Environment(
                    log,
                    chunkStore,
                    snapshots.catalog(),
                    () -> awaitKnownSnapshots(),
                    mark,
                    options.workspace(),
                    snapshots.cache(),
                    HeapBudget.mostPages(),
                    limit),
            options.collections().options(),
            options.background(),
            () -> HeapRoom.mostForMarks(HeapBudget.state(options.stateHeapShare())),
            call -> loop().post(agent -> call.accept(agent.collections())));
    this.slowRequests =
        new SlowRequests(
            "leader-requests",
            "a snapshot is being verified, states are compared or mounted, or something is restored"
                + " or undone",
            ended);
    this.quickRequests = new SlowRequests("leader-who", "many ask who has changed a path", ended);
    this.pastThread =
        new PastThread(
            this::moments,
            slowRequests,
            log,
            chunkStore,
            pastCatalog.catalog(),
            snapshots.cache(),
            call -> loop().post(call));
    this.restoreThread = new RestoreHoldThread(restores.file(), call -> loop().post(call));
    this.intentWriter =
        new IntentWriter(recovered.intents().store(), call -> loop().post(call), ended);
    this.trimmer =
        new LogTrimmer(
            log,
            options.logRetention(),
            () -> loop().post(agent -> agent.snapshots().soon(Clock.SYSTEM.monotonicNs())));
    SecureRandom random = new SecureRandom();
    this.agent =
        new LeaderAgent(
            config(options, snapshots.cache().maxBytes()),
            recovered,
            log,
            chunks,
            logReader,
            auditor,
            new SnapshotManager(
                snapshotThread,
                options.snapshots(),
                options.workspace(),
                snapshots.known(),
                snapshots.base(),
                Clock.SYSTEM.monotonicNs()),
            new CollectionManager(
                collectionThread,
                options.collections(),
                mark.through(),
                recovered.index(),
                Clock.SYSTEM.monotonicNs()),
            pastCatalog.start(pastThread),
            restores.start(restoreThread),
            intentWriter,
            trimmer,
            new Sessions(transport, faults),
            Clock.SYSTEM,
            random::nextLong,
            stages,
            ResumeKeyFile.read(options.stateDir()));
    snapshots
        .cache()
        .onUnreadable(
            page -> {
              snapshots.suspect().note(page);
              loop().post(leader -> leader.pageUnreadable(page));
            });
    agent.presence().signWith(this::sign);
    snapshotThread.takeTurns(options.background());
    agent.snapshots().takeTurns(options.background());
    agent.collections().takeTurns(options.background());
    agent
        .certificates()
        .begin(RevokedFile.read(options.stateDir()), CertificateFile.read(options.stateDir()));
    this.loop = new AgentLoop<>(agent, transport.executor(), ended, why -> explained(why, options));
    // Bypasses the loop, so that a failing question does not count as a failure of the agent.
    this.questions =
        new AgentQueries<>(
            "the leader",
            question -> transport.executor().execute(() -> question.accept(agent)),
            ended,
            ANSWER_LIMIT);
    agent.sequencer().hazards().places(places(options));
    agent.actBehind(options.seat().gate());
    agent.lineage(lineage, term);
    if (options.enforcesReservations()) {
      agent.enforceReservations();
    }
    agent.beginVisibility(options.visibility());
    if (standbys.isOn()) {
      agent.waitFor(standbys);
    }
    this.mailClient = options.agentMail().isOn() ? new AgentMailClient(options.agentMail()) : null;
    this.reservationSource =
        reservationSource(
            options,
            mailClient,
            known -> loop.post(leader -> leader.reservations(known.table(), known.goodNs())));
    this.reservationStatus = new ReservationStatus(reservationSource, Clock.SYSTEM);
    this.mailThread =
        mailClient != null && options.agentMail().sendsMessages()
            ? new MailThread(
                options.agentMail(),
                log,
                recovered.index(),
                mailClient,
                options.stateDir(),
                Clock.SYSTEM,
                options.seat().gate())
            : null;
    if (mailThread != null) {
      agent.tellHazards(mailThread::logged);
    }
    this.collectionRequests = new CollectionRequests(questions, collectionThread);
    this.placementRequests = new PlacementRequests(questions);
    this.presenceRequests = new PresenceRequests(questions);
    this.certificateRequests = new CertificateRequests(options, questions, mount, Clock.SYSTEM);
    this.visibilityRequests = new VisibilityRequests(questions);
    this.scrubThread =
        new ScrubThread(
            options.scrubs(),
            options.background(),
            options.seat().gate(),
            chunkStore,
            options.workspace(),
            Clock.SYSTEM,
            question -> transport.executor().execute(() -> question.accept(agent)),
            loop::post,
            ended);
    this.scrubRequests = new ScrubRequests(questions, scrubThread);
    this.backupThread =
        new BackupThread(
            chunkStore,
            options.workspace(),
            options.workspaceName(),
            options.stateDir(),
            Clock.SYSTEM,
            question -> transport.executor().execute(() -> question.accept(agent)),
            loop::post,
            ended);
    this.backupRequests = new BackupRequests(questions, backupThread);
    this.snapshotRequests =
        new SnapshotRequests(questions, chunkStore, options.workspace(), slowRequests, ended);
    this.moments =
        new Moments(
            questions,
            loop::post,
            log,
            chunkStore,
            options.workspace(),
            Clock.SYSTEM,
            slowRequests);
    this.diffRequests = new DiffRequests(moments, Clock.SYSTEM, slowRequests);
    this.restoreExecution =
        new RestoreExecution(questions, loop::post, moments, log, chunkStore, slowRequests, ended);
    this.restoreRequests =
        new RestoreRequests(loop::post, moments, Clock.SYSTEM, slowRequests, restoreExecution);
    this.undoRequests =
        new UndoRequests(loop::post, moments, log, Clock.SYSTEM, slowRequests, restoreExecution);
    this.logRequests = new LogRequests(moments, log, slowRequests);
    this.whoRequests = new WhoRequests(moments, log, logRequests, quickRequests);
    this.restoreAllRequests =
        new RestoreAllRequests(
            loop::post,
            moments,
            log,
            chunkStore,
            snapshots.cache(),
            Clock.SYSTEM,
            slowRequests,
            ended);
  }

  /** Where symbolic links may lead to without a word (hypersync.md 7.1.1). */
  private static List<String> places(LeaderDaemonOptions options) {
    List<String> places = new ArrayList<>(options.reservations().mounts());
    places.add("/ntmfs/ws/" + options.workspaceName());
    places.add("/ntmfs/local/" + options.workspaceName());
    return places;
  }

  /**
   * Turns a failure of the agent into an error with advice, if the log turned out to be wrong or
   * damaged.
   */
  private static RuntimeException explained(Throwable why, LeaderDaemonOptions options) {
    for (Throwable cause = why; cause != null; cause = cause.getCause()) {
      if (cause instanceof WrongRootException wrong) {
        return new UserError(
            String.valueOf(wrong.getMessage()),
            "Do not start the leader again before you have read docs/diverged.md: what it has"
                + " committed since rests on that entry.");
      }
      if (cause instanceof DeposedException deposed) {
        remember(deposed, options);
        return new UserError(
            "another leader has taken this workspace over: " + deposed.getMessage(),
            "Let that one lead, and let this host follow it: ./hypersync standby. What only this"
                + " state has is kept then, and named.\n"
                + "If there is none any more, and this state is to be led:"
                + " ./hypersync leader --force-rewind <name> ... (docs/leadership.md)");
      }
      if (cause instanceof OldStateException old) {
        return new UserError(
            "this leader's state is older than what workers have seen, or another one: "
                + old.getMessage(),
            "Lead the newer state instead: put it back, or start its leader.\n"
                + "To give up what came after: ./hypersync leader --force-rewind <name> ..."
                + " (docs/leadership.md)");
      }
      if (cause instanceof OpLogCorruptException corrupt) {
        return new UserError(
            String.valueOf(corrupt.getMessage()),
            "The leader does not start on it again: restore its state from a copy, or ask for help"
                + " before anything is deleted.");
      }
      if (cause instanceof DatabaseException database) {
        return new UserError(
            String.valueOf(database.getMessage()),
            "Look at the disk, then start the leader again: it recovers what was acknowledged.");
      }
    }
    return new IllegalStateException("the leader agent failed: " + why.getMessage(), why);
  }

  /**
   * On the loop's thread, which serves nobody any more: nothing is acknowledged behind this. If it
   * cannot be written, or the power fails before, the next start leads again, until a worker that
   * knows better joins.
   */
  private static void remember(DeposedException deposed, LeaderDaemonOptions options) {
    try {
      DeposedFile.write(options.stateDir(), deposed.deposition());
    } catch (UserError e) {
      LOG.error("that is forgotten at the next start: {}", e.message());
    }
  }

  /**
   * Binds the address and starts leading.
   *
   * @param mount the worker that runs in this process; null if there is none
   * @param lineage of which lineage the state is
   * @param term in which it is led
   * @param ended completed exceptionally when the agent fails
   * @throws LeaderBindException if the address cannot be bound
   */
  public static LeaderRuntime start(
      LeaderDaemonOptions options,
      @Nullable WorkerId mount,
      Lineage lineage,
      Term term,
      LeaderState recovered,
      OpLog log,
      ChunkStore chunkStore,
      Snapshots snapshots,
      CollectionMark mark,
      PastCatalog past,
      RestoreCatalog restores,
      CompletableFuture<Void> ended)
      throws LeaderBindException {
    LeaderTransportAdapter adapter = new LeaderTransportAdapter();
    MulticastSender multicast =
        isMulticast(options)
            ? MulticastSender.open(
                options.multicast(),
                options.bindAddress().getAddress(),
                options.dataPlane().multicastBytesPerSecond())
            : null;
    OwningListener arrivals = mount == null ? null : new OwningListener(adapter);
    LeaderTransport transport;
    LocalLeaderTransport beside = null;
    try {
      transport =
          QuicLeaderServer.bind(
              options.bindAddress(),
              options.identity(),
              options.workspace(),
              arrivals == null ? adapter : arrivals,
              QuicOptions.defaults());
    } catch (LeaderBindException e) {
      if (multicast != null) {
        multicast.close();
      }
      throw e;
    }
    if (mount != null && arrivals != null) {
      beside = new LocalLeaderTransport(transport, arrivals, adapter, mount);
      transport = beside;
    }
    LeaderRuntime runtime =
        new LeaderRuntime(
            options,
            lineage,
            term,
            recovered,
            log,
            chunkStore,
            transport,
            beside,
            mount,
            multicast,
            snapshots,
            mark,
            past,
            restores,
            ended);
    adapter.begin(runtime.loop, runtime.chunks);
    runtime.loop.start();
    runtime.freeSpace.start();
    runtime.certificateRequests.start();
    runtime.scrubThread.start();
    runtime.reservationSource.start();
    if (runtime.mailThread != null) {
      runtime.mailThread.start();
    }
    if (snapshots.base() > 0) {
      runtime.verifyLogged(snapshots.base(), mark.through());
    } else {
      runtime.trimmer.enable();
    }
    return runtime;
  }

  /** What must be durable before a snapshot is: its chunks, and what agents had done then. */
  private SnapshotThread.Steps beforeSnapshot(long after, long last) {
    LoggedChunks chunks = LoggedChunks.beforeSnapshot(log, chunkStore, after, last);
    return () -> {
      if (chunks.step()) {
        return true;
      }
      agent.sequencer().storeWindow(last, windows);
      return false;
    };
  }

  /**
   * Begins to look at the chunks of inline payloads that a start from a snapshot has passed over,
   * and stores again what is missing or damaged. Before that nothing is trimmed.
   *
   * @param last the index of that snapshot
   * @param collected chunks of entries up to this one may have been collected
   */
  private void verifyLogged(long last, long collected) {
    LoggedChunks logged = LoggedChunks.damaged(log, chunkStore, last, collected);
    snapshotThread.inBackground(
        logged::step,
        VERIFIED_STEP_BYTES,
        () -> {
          if (logged.stored() > 0) {
            LOG.warn("{} chunks were restored from the log", logged.stored());
          }
          trimmer.enable();
        });
  }

  /**
   * The side of the worker in this process; to be called again only after the last one was shut
   * down. Any thread.
   *
   * @throws IllegalStateException if the leader was started without a worker
   */
  public WorkerTransport workerHere(WorkerTransportListener listener) {
    if (beside == null) {
      throw new IllegalStateException("no worker runs in this process");
    }
    return beside.worker(listener);
  }

  /** The address that workers connect to. */
  public InetSocketAddress address() {
    return transport.localAddress();
  }

  /** A batch is durable; called on the thread that has written it. */
  public void committed(CommittedBatch batch) {
    stages.durable();
    commits.add(batch);
    loop.wake();
  }

  /** Wakes the agent's loop for one turn. */
  public void wake() {
    loop.wake();
  }

  /** Returns when the agent has taken a turn; as {@link #status}. */
  public void beat() {
    var _ = questions.ask(_ -> true);
  }

  /**
   * The status report. Blocks for the agent's answer and the disk; not to be called on the
   * transport's thread.
   */
  public ObjectNode status() {
    return withoutAgent(
        questions.ask(
            a -> {
              ObjectNode found = LeaderStatus.of(options, address(), startedNs, a, log);
              LeaderStatus.addPercentiles(found, a, commits, stages);
              LeaderStatus.addHandshakes(found, transport.handshakes());
              return found;
            }));
  }

  /** As {@link #status}, for {@link Daemon#measured}. */
  public ObjectNode measured() {
    return withoutAgent(
        questions.ask(
            a -> {
              long beganNs = System.nanoTime();
              ObjectNode found = LeaderStatus.of(options, address(), startedNs, a, log);
              LeaderStatus.addBuckets(found, a, commits, stages);
              LeaderStatus.addHandshakes(found, transport.handshakes());
              return found.put("measuring_ns", System.nanoTime() - beganNs);
            }));
  }

  /** Adds what is known without the agent; on the asking thread, which waits for the disk. */
  private ObjectNode withoutAgent(ObjectNode status) {
    status.set("page_memory", PageMemoryStatus.of(pages));
    status.set("scrub", scrubRequests.json());
    status.set("certificate", certificateRequests.status());
    status.set("restore", restoreExecution.progress());
    status.set("reservations", reservationStatus.counts().setAll(enforcement()));
    status.set("agent_mail", MailJson.of(options.agentMail(), mailThread));
    status.put("log_trimmed_for_size", trimmer.goneForSize());
    LeaderStatus.addStores(
        status, chunkStore.stats(), log, FolderSize.bytes(options.stateDir().resolve("oplog")));
    return status;
  }

  /**
   * What can change while this runs, as it is in force; blocks for the agent's answer.
   *
   * @throws io.hypersync.runtime.admin.UserError if the agent does not answer
   */
  public LeaderTuning tuning() {
    return questions.ask(LeaderAgent::tuning);
  }

  /**
   * Has the agent change what it holds, on its own thread; blocks until it has.
   *
   * @param change gives what is to be in force, of what is
   * @throws io.hypersync.runtime.admin.UserError if the agent does not answer
   */
  public void tune(UnaryOperator<LeaderTuning> change) {
    var _ =
        questions.ask(
            leader -> {
              LeaderTuning before = leader.tuning();
              LeaderTuning after = change.apply(before);
              if (!after.equals(before)) {
                leader.tune(after);
              }
              return after;
            });
  }

  /**
   * The latencies of intents by stage. Blocks for the agent's answer; not to be called on the
   * transport's thread.
   *
   * @param intents intents whose own timestamps are wanted
   */
  public ObjectNode stages(Set<IntentId> intents) {
    return questions.ask(_ -> stages.all(intents));
  }

  /**
   * Entries of the log; without a path they are read from the log while the result is written out.
   *
   * @param args what may be missing ({@link LogRequests})
   */
  public JsonSerializable log(JsonNode args) {
    return logRequests.run(args);
  }

  /**
   * Says who has changed a path.
   *
   * @param args {@code path} and what may be missing ({@link WhoRequests})
   */
  public JsonSerializable who(ObjectNode args) {
    return whoRequests.run(args);
  }

  /**
   * Undoes what an agent has done; blocks until it is done.
   *
   * @param args {@code agent} and what may be missing ({@link UndoRequests})
   */
  public JsonSerializable undo(ObjectNode args) {
    return undoRequests.run(args);
  }

  /**
   * Entries with hazards, read as by {@link #log}.
   *
   * @param args {@code after}: those behind this entry; else {@code tail}: so many of the newest,
   *     and perhaps {@code within}: of so many of the newest entries
   */
  public JsonSerializable hazards(JsonNode args) {
    return args.has("after")
        ? LogTail.hazardsAfter(log, args.path("after").asLong())
        : LogTail.hazards(
            log, args.path("tail").asInt(20), args.path("within").asInt(Integer.MAX_VALUE));
  }

  /**
   * Who holds and wants locks. Blocks for the agent's answer.
   *
   * @param args {@code limit}: how many locks at most
   */
  public JsonSerializable locks(JsonNode args) {
    return LockRequests.run(questions, args);
  }

  /** What agents have reserved, and how far that can be relied on. */
  public JsonSerializable reservations() {
    return reservationStatus.all().setAll(enforcement());
  }

  private ObjectNode enforcement() {
    return questions.ask(
        leader ->
            ReservationStatus.enforcement(
                leader.sequencer().enforcement(), Clock.SYSTEM.monotonicNs()));
  }

  /**
   * Carries out a request about snapshots; blocks until it is done.
   *
   * @param args {@code do}, and what that needs ({@link SnapshotRequests})
   */
  public JsonSerializable snapshot(ObjectNode args) {
    return snapshotRequests.run(args);
  }

  /**
   * Carries out a request about collections.
   *
   * @param args {@code do} ({@link CollectionRequests})
   */
  public JsonSerializable collection(ObjectNode args) {
    return collectionRequests.run(args);
  }

  /**
   * Carries out a request about scrubs.
   *
   * @param args {@code do} ({@link ScrubRequests})
   */
  public JsonSerializable scrub(ObjectNode args) {
    return scrubRequests.run(args);
  }

  /**
   * Carries out a request about backups.
   *
   * @param args {@code do}, and what that needs ({@link BackupRequests})
   */
  public JsonSerializable backup(ObjectNode args) {
    return backupRequests.run(args);
  }

  /**
   * Compares two states of the workspace; blocks until it is done.
   *
   * @param args {@code from}, {@code to} and what may be missing ({@link DiffRequests})
   */
  public JsonSerializable diff(ObjectNode args) {
    return diffRequests.run(args);
  }

  /**
   * Brings a path, or everything, back to what it was; blocks until it is done.
   *
   * @param args {@code path}, {@code at} and what may be missing ({@link RestoreRequests}); or
   *     {@code all} and {@code at} ({@link RestoreAllRequests})
   */
  public JsonSerializable restore(ObjectNode args) {
    return args.path("all").asBoolean() ? restoreAllRequests.run(args) : restoreRequests.run(args);
  }

  /**
   * Places agents, or tells of earlier placements.
   *
   * @param args {@code count} and {@code session}, or {@code decisions} ({@link PlacementRequests})
   */
  public JsonSerializable placement(ObjectNode args) {
    return placementRequests.run(args);
  }

  /** Where changes are visible when their calls return ({@link VisibilityRequests#run}). */
  public ObjectNode visibility(ObjectNode args) {
    return visibilityRequests.run(args);
  }

  /** The workers that are there ({@link PresenceRequests#peers}). */
  public ObjectNode peers(ObjectNode args) {
    return presenceRequests.peers(args);
  }

  /** What has happened to workers lately ({@link PresenceRequests#events}). */
  public ObjectNode events(ObjectNode args) {
    return presenceRequests.events(args);
  }

  /** Which certificates there are, or revokes some ({@link CertificateRequests#run}). */
  public ObjectNode certificates(ObjectNode args) {
    return certificateRequests.run(args);
  }

  /** Tells the people of a worker's host something ({@link PresenceRequests#message}). */
  public ObjectNode message(ObjectNode args) {
    return presenceRequests.message(args);
  }

  /**
   * Takes a snapshot of the newest state if there is none, so that the next start has nothing to
   * replay. To be called after {@link #close}, while log and chunk store are open.
   */
  public void takeLastSnapshot() {
    if (!transport.executor().isTerminated()) {
      return; // the agent may still run, so its state is not to be read here
    }
    long base = agent.snapshots().baseIndex();
    if (agent.sequencer().headIndex() <= base || !allIsDurable()) {
      return;
    }
    agent.sequencer().decided();
    snapshotThread.takeLast(agent.snapshots().manifest(agent.sequencer()), base);
  }

  /** Waits a moment until what was logged last is durable; false if that does not happen. */
  private boolean allIsDurable() {
    long head = agent.sequencer().headIndex();
    for (long waitedMs = 0; ownLog.durableIndex() < head; waitedMs++) {
      if (waitedMs >= LAST_WRITES_MS) {
        return false;
      }
      try {
        Thread.sleep(1);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return true;
  }

  /** Ends all sessions and stops the threads; the log and the chunk store stay open. */
  @Override
  public void close() {
    freeSpace.close();
    certificateRequests.close();
    reservationSource.close();
    if (mailThread != null) {
      mailThread.close();
    }
    if (mailClient != null) {
      mailClient.close();
    }
    scrubThread.close(); // waits for one read at most
    backupThread.close(); // for one read, one write and a sync of the backup
    transport.shutdown();
    tokenSigner.shutdownNow();
    collectionThread.close(); // before what it reads through
    chunks.close();
    collectionThread.close(); // a run that it has begun meanwhile
    logReader.close();
    auditor.close();
    snapshotThread.close();
    slowRequests.close();
    quickRequests.close();
    pastThread.close();
    restoreThread.close();
    intentWriter.close();
    trimmer.close();
  }

  private void sign(Runnable task) {
    try {
      tokenSigner.execute(task);
    } catch (RejectedExecutionException ends) {
      LOG.debug("no new token: the leader ends");
    }
  }

  /** A loop that is busy is no reason to throw a collection's marks away. */
  private Set<Long> awaitKnownSnapshots() {
    try {
      return questions().await(agent -> agent.snapshots().indexes());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UserError("interrupted", "");
    } catch (RejectedExecutionException e) {
      throw new UserError("the leader stops", "");
    }
  }

  /** The archive's files change least of all that Agent Mail has, so they are read if possible. */
  private static ReservationSource reservationSource(
      LeaderDaemonOptions options,
      @Nullable AgentMailClient server,
      Consumer<ReservationView> onChange) {
    if (options.reservations().isOn()) {
      return new ReservationArchive(options.reservations(), Clock.SYSTEM, onChange);
    }
    return server == null
        ? ReservationSource.NONE
        : new HttpReservations(options.agentMail(), server, Clock.SYSTEM, onChange);
  }

  private AgentLoop<LeaderAgent> loop() {
    return loop;
  }

  private Moments moments() {
    return moments;
  }

  private AgentQueries<LeaderAgent> questions() {
    return questions;
  }

  private static boolean isMulticast(LeaderDaemonOptions options) {
    return options.dataPlane().mode() == DataPlaneSettings.Mode.MULTICAST;
  }

  private static LeaderConfig config(LeaderDaemonOptions options, long droppable) {
    LeaderConfig defaults = LeaderConfig.of(options.workspace());
    return new LeaderConfig(
        options.workspace(),
        defaults.heartbeatNs(),
        defaults.workerTimeoutNs(),
        defaults.partialUploadTtlNs(),
        options.windowEntries(),
        options.maxPendingIntents(),
        BATCHES_AHEAD * options.batchMaxOps(),
        options.rateLimits(),
        defaults.tailCacheBytes(),
        options.lockTtl().toNanos(),
        options.lockGrace().toNanos(),
        options.openLeaseTtl().toNanos(),
        options.presenceLease().toNanos(),
        HeapBudget.dirty(droppable, options.stateHeapShare()),
        options.catchUp(),
        HeapBudget.quotas(),
        options.dataPlane(),
        options.placement(),
        new NegotiatedParams(
            features(options),
            options.chunkMax(),
            options.inlineThreshold(),
            NegotiatedParams.DEFAULT.batchWindowMs()));
  }

  private static Features features(LeaderDaemonOptions options) {
    Features features = Features.SUPPORTED;
    if (!isMulticast(options)) {
      features = features.without(Feature.MULTICAST);
    }
    return options.syncStandbys().names().isEmpty()
        ? features
        : features.with(Feature.SYNC_STANDBY);
  }

  /** The agent's session port, implemented by the transport. */
  private record Sessions(LeaderTransport transport, FaultPoints faults) implements SessionPort {
    @Override
    public void send(SessionId session, LeaderMessage message) {
      if (message instanceof LeaderMessage.CommitAck ack && ack.errno() == null) {
        faults.reached(Moment.ENTRY_DURABLE);
      }
      transport.send(session, message);
    }

    @Override
    public void flush() {
      transport.flush();
    }

    @Override
    public boolean logWritable(SessionId session) {
      return transport.isWritable(session, StreamKind.LOG);
    }

    @Override
    public boolean bulkWritable(SessionId session) {
      return transport.isWritable(session, StreamKind.BULK);
    }

    @Override
    public int maxSymbolBytes(SessionId session) {
      return transport.maxSymbolBytes(session);
    }

    @Override
    public void measure(SessionId session, Consumer<PathFigures> then) {
      transport.measure(session, then);
    }

    @Override
    public void close(SessionId session, LeaderMessage.@Nullable Refused lastWord) {
      transport.close(session, lastWord);
    }
  }
}
