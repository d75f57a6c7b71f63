package io.hypersync.sim.node;

import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.LeaderConfig;
import io.hypersync.leader.collection.CollectionManager;
import io.hypersync.leader.collection.CollectionPolicy;
import io.hypersync.leader.dataplane.DataPlaneSettings;
import io.hypersync.leader.dataplane.DataPlaneStatus;
import io.hypersync.leader.hazard.TouchWindow;
import io.hypersync.leader.hazard.WindowCodec;
import io.hypersync.leader.history.HeapAllowance;
import io.hypersync.leader.history.PastStates;
import io.hypersync.leader.lineage.DeposedException;
import io.hypersync.leader.lineage.OldStateException;
import io.hypersync.leader.oplog.OpLogCorruptException;
import io.hypersync.leader.oplog.chronicle.SteppedLog;
import io.hypersync.leader.past.PastHolds;
import io.hypersync.leader.port.LogTrimPort;
import io.hypersync.leader.presence.PresenceEvent;
import io.hypersync.leader.recovery.LeaderState;
import io.hypersync.leader.recovery.LogReplay;
import io.hypersync.leader.recovery.ReplaySnapshots;
import io.hypersync.leader.recovery.ReplayStart;
import io.hypersync.leader.recovery.RootHashing;
import io.hypersync.leader.restore.StateRestores;
import io.hypersync.leader.sequencer.IntentBatch;
import io.hypersync.leader.sequencer.IntentIndex;
import io.hypersync.leader.sequencer.IntentRetention;
import io.hypersync.leader.sequencer.IntentStore;
import io.hypersync.leader.session.WorkerSession;
import io.hypersync.leader.snapshot.LoggedChunks;
import io.hypersync.leader.visibility.VisibilityOptions;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.hazard.Hazard;
import io.hypersync.model.hazard.HazardReport;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.snapshot.ManifestStates;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.sim.check.CollectionChecker;
import io.hypersync.sim.check.DataPlaneChecker;
import io.hypersync.sim.check.FenceChecker;
import io.hypersync.sim.check.InstallChecker;
import io.hypersync.sim.check.LockChecker;
import io.hypersync.sim.check.LockSessionChecker;
import io.hypersync.sim.check.LogChecker;
import io.hypersync.sim.check.OlderState;
import io.hypersync.sim.check.OpenFileChecker;
import io.hypersync.sim.check.PresenceChecker;
import io.hypersync.sim.check.SnapshotChecker;
import io.hypersync.sim.check.Violation;
import io.hypersync.sim.disk.LeaderDisk;
import io.hypersync.sim.disk.SimOpLog;
import io.hypersync.sim.disk.SnapshotDisk;
import io.hypersync.sim.mainhost.MainHostWish;
import io.hypersync.sim.mainhost.SharedProcess;
import io.hypersync.sim.net.LeaderEnd;
import io.hypersync.sim.net.SimConnection;
import io.hypersync.sim.net.SimGroup;
import io.hypersync.sim.world.Host;
import io.hypersync.sim.world.Prng;
import io.hypersync.sim.world.Timeline;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotReader;
import io.hypersync.snapshot.StoredPages;
import io.hypersync.snapshot.schedule.SnapshotManager;
import io.hypersync.snapshot.schedule.SnapshotPolicy;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.SeenState;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.pki.CertificateFacts;
import io.hypersync.wire.transport.LeaderTransportListener;
import io.hypersync.wire.transport.SessionId;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One run of the leader, from recovery to crash: the production agent on simulated disks. */
public final class SimLeader implements LeaderEnd {
  /** Who tells of no packet to all for so long does not count as hearing. */
  private static final long DEAF_NS = 1_500 * Timeline.MS;

  private static final SocketAddress OTHER_HOST =
      InetSocketAddress.createUnresolved("simulated", 1);

  private static final long SLOWEST_LOG_READ_NS = 5_000_000;
  private static final long SLOWEST_INTENT_WRITE_NS = 500 * Timeline.MS;
  private static final long LONGEST_WITHOUT_INTENT_WRITE_NS = 5_000 * Timeline.MS;

  /** How many entries a start replays at most before it takes a snapshot, if it can. */
  private static final int MOST_REPLAYED = 100;

  private static final int LARGEST_INTENT_BATCH = 200;
  private static final long SHORTEST_WITHOUT_TRIM_NS = 10 * Timeline.MS;
  private static final long LONGEST_WITHOUT_TRIM_NS = 1_000 * Timeline.MS;

  /** A leader may be paused while a lease ends. */
  private static final long PRESENCE_LATENESS_NS = 2_000 * Timeline.MS;

  /** One install in so many loses its connection soon. */
  private static final int INTERRUPTED_INSTALLS_ONE_IN = 4;

  private static final long FASTEST_INTERRUPTION_NS = 100_000;
  private static final long SLOWEST_INTERRUPTION_NS = 100 * Timeline.MS;

  /** One trim in so many takes entries that connected workers need, as one for lack of space. */
  private static final int TRIMS_AHEAD_ONE_IN = 8;

  /** So many starts find a record of a snapshot that they cannot read. */
  private static final int UNREADABLE_ONE_IN = 8;

  /** So many cannot read what agents had done before it. */
  private static final int FORGETFUL_ONE_IN = 8;

  private final Host host;
  private final Prng prng;
  private final Prng intentPrng;
  private final Prng trimPrng;

  /** The last entry of the state that this leader's replay began with. */
  private long begun;

  /** This leader does not know what agents did up to this entry. */
  private long forgottenThrough;

  /** Whether this leader has not been able to read a page of its state. */
  private boolean hasLackedPage;

  private final boolean mayLoseTouch;
  private final LogChecker checker;
  private final OpenFileChecker open;
  private final FenceChecker fences;
  private final Consumer<String> failed;
  private final WorkspaceId workspace;
  private final DataPlaneSettings.Limits limits;
  private final LeaderDisk disk;
  private final PageCache pages;
  private final OlderState older;
  private final SimOpLog log;
  private final LeaderAgent agent;
  private final Map<SessionId, SimConnection> sessions = new LinkedHashMap<>();

  /** What it shares with the worker in its process; null if none is there. */
  private final @Nullable SharedProcess process;

  private final WorkerId workerHere;

  /** Up to where chunks may have been gone when each session said Hello. */
  private final Map<SessionId, Long> collectedAtHello = new LinkedHashMap<>();

  /** What each session has told of packets to all, and when. */
  private final Map<SessionId, Long> newestHeard = new LinkedHashMap<>();

  private final Map<SessionId, Long> heardNs = new LinkedHashMap<>();

  /** Those that heard packets to all when they were looked at last. */
  private final Set<SessionId> hearing = new HashSet<>();

  private final LockSessionChecker lockSessions;
  private final PresenceChecker presence;
  private final SimTokens tokens;
  private long lastPresenceEvent;
  private final InstallChecker installs;
  private final CollectionChecker<SessionId> collected;
  private final Timeline timeline;
  private final SimRestores restores;
  private final SimUndos undos;
  private final SimPasts pasts;
  private final SimStateRestores wholeRestores;
  private long lastSession;
  private long recovered;
  private boolean isDeposed;

  /** Told when a worker has seen what this leader does not have, which ends it. */
  private Consumer<RuntimeException> outdated =
      why -> {
        throw why;
      };

  /**
   * Recovers from the disk and starts the agent.
   *
   * @param visibility where changes are visible when their calls return
   * @param group what is sent to all workers at once
   * @param stateMemory what of the state need not be in memory may take so much, in bytes
   * @param slowestSyncNs the longest sync of the log, in nanoseconds
   * @param tickNs interval of the agent's timed work, in nanoseconds
   * @param mayLoseTouch whether workers may lose their connection in this history
   * @param restores what somebody restores
   * @param undos who undoes what a worker did
   * @param pasts what somebody mounts of the past
   * @param wholeRestores who restores everything
   * @param mainHost whether a worker is in this process
   * @param workerHere which one
   * @param failed called when the log has failed, which ends this run
   * @throws OpLogCorruptException if the log is damaged, so that the leader must not start
   * @throws IOException if the disk fails
   */
  public SimLeader(
      LeaderConfig config,
      VisibilityOptions visibility,
      SnapshotPolicy policy,
      CollectionPolicy collecting,
      long stateMemory,
      LeaderDisk disk,
      SimGroup group,
      Timeline timeline,
      Prng prng,
      long slowestSyncNs,
      long tickNs,
      LogChecker checker,
      OpenFileChecker open,
      LockChecker locks,
      FenceChecker fences,
      boolean mayLoseTouch,
      SimRestores.Wish restores,
      SimUndos.Wish undos,
      SimPasts.Wish pasts,
      SimStateRestores.Wish wholeRestores,
      MainHostWish mainHost,
      WorkerId workerHere,
      Consumer<String> failed)
      throws IOException {
    this.open = open;
    this.fences = fences;
    this.failed = failed;
    this.timeline = timeline;
    this.lockSessions =
        new LockSessionChecker(
            timeline.monotonicNs(), config.lockTtlNs(), config.lockGraceNs(), locks::holds);
    this.presence = new PresenceChecker(config.presenceLeaseNs(), PRESENCE_LATENESS_NS);
    this.tokens = new SimTokens(disk, timeline.monotonicNs());
    this.installs = new InstallChecker(config.catchUp().installNs());
    this.collected = new CollectionChecker<>(config.catchUp().installNs());
    open.leaderStarted();
    this.prng = prng;
    this.checker = checker;
    this.disk = disk;
    this.workspace = config.workspace();
    this.limits = config.dataPlane().limits();
    this.pages = SnapshotReader.cache(disk.chunks(), stateMemory, false);
    this.older = new OlderState(new Prng(timeline.monotonicNs()), disk.chunks()::isDamaged);
    this.host = new Host(timeline, prng.split(), "leader");
    this.workerHere = workerHere;
    this.process =
        mainHost.isWanted()
            ? new SharedProcess(
                host, workerHere, mainHost, sessions, new Arrivals(), disk.snapshots())
            : null;
    pages.onUnreadable(
        page -> {
          if (disk.chunks().rotted() == 0) {
            throw new Violation("the leader's state needs what is gone: " + page.getMessage());
          }
          disk.snapshots().suspect();
          hasLackedPage = true;
          host.execute(() -> unreadable(page));
        });
    this.intentPrng = prng.split();
    this.trimPrng = prng.split();
    this.mayLoseTouch = mayLoseTouch;
    IntentIndex intents =
        new IntentIndex(
            new IntentStore(disk.intents(), IntentRetention.DEFAULT),
            (int) intentPrng.scale(1, LARGEST_INTENT_BATCH));
    List<Snapshot> known = readable(disk.snapshots().known());
    long mark = disk.collected().through();
    ReplayStart start =
        replayStart(known, config.workspace())
            .provenBy(known)
            .collectedThrough(mark)
            .in(pages.dirty())
            .restoring(ManifestStates.lazy(config.workspace(), RootVersion.LATEST, pages));
    if (start.index() < mark) {
      disk.snapshots().count(LeaderDisk.STARTED_BEHIND);
    }
    LogReplay replay =
        new LogReplay(
            start,
            disk.chunks(),
            intents,
            LogReplay.LONG_RUNS,
            RootHashing.AT_ONCE,
            Long.MAX_VALUE,
            _ -> {});
    ReplaySnapshots saved =
        new ReplaySnapshots(
            config.workspace(),
            disk.chunks(),
            disk.snapshots().snapshots(),
            pages,
            timeline::epochNs,
            start.index(),
            new Prng(timeline.monotonicNs() + 1).scale(1, MOST_REPLAYED));
    replay.saveTo(saved);
    replay.follow(window(start), this::storeWindow);
    SteppedLog opened = disk.open(replay);
    LeaderState recovered = judged(replay.result(), start.index());
    this.begun = start.index();
    checker.begun(forgottenThrough);
    Manifest reached = saved.newest();
    long base = reached == null ? start.index() : reached.index();
    known = new ArrayList<>(known);
    known.addAll(saved.taken());
    for (int i = 0; i < saved.taken().size(); i++) {
      disk.snapshots().count(LeaderDisk.SAVED_IN_REPLAY);
    }
    this.log =
        new SimOpLog(
            disk,
            opened,
            host,
            prng.split(),
            slowestSyncNs,
            new SimOpLog.Events(
                this::appended,
                this::durable,
                why -> failed.accept(String.valueOf(why.getMessage()))));
    this.wholeRestores =
        new SimStateRestores(this, disk, log, config.workspace(), pages, host, wholeRestores);
    StateRestores.Start heldRestores = this.wholeRestores.start(start.index(), recovered.index());
    SnapshotChecker judge = new SnapshotChecker(config.workspace(), checker);
    judge.retained(disk.snapshots().snapshots(), disk.chunks());
    SimSnapshots snapshots =
        new SimSnapshots(
            this::beforeSnapshot,
            disk.snapshots(),
            pages,
            host,
            prng.split(),
            judge,
            this::taken,
            () -> agent().snapshots(),
            failed);
    SimCollections collections =
        new SimCollections(
            log,
            disk,
            config.workspace(),
            pages,
            host,
            timeline,
            prng.split(),
            judge,
            this::raising,
            this::agent);
    this.agent =
        new LeaderAgent(
            config,
            recovered,
            log,
            new SimLeaderChunks(disk.chunks(), host, prng.split(), this, group, config.dataPlane()),
            this::readLog,
            (index, _) -> {
              throw new Violation("a worker says that another root comes of entry " + index);
            },
            new SnapshotManager(
                snapshots, policy, config.workspace(), known, base, timeline.monotonicNs()),
            new CollectionManager(
                collections, collecting, mark, recovered.index(), timeline.monotonicNs()),
            new PastHolds.Start(
                new SimPasts.Port(this::pasts), disk.snapshots().knownPast(), SimPasts.AWAY_NS),
            heldRestores,
            this::writeIntents,
            LogTrimPort.NONE,
            process == null
                ? new SimSessionPort(sessions, this::sending)
                : process.port(this::sending),
            timeline,
            prng.split(),
            (_, _) -> {},
            tokens.key());
    agent.beginVisibility(visibility);
    agent.lineage(disk.lineage(), disk.term());
    host.runs(this::work);
    host.tickEvery(tickNs);
    host.wake();
    if (base > 0) {
      snapshots.inBackground(LoggedChunks.damaged(log, disk.chunks(), base, mark)::step);
    }
    persistIntentsLater();
    trimLater();
    this.restores = new SimRestores(this, disk, log, host, restores);
    this.restores.later();
    this.undos = new SimUndos(this, disk, log, host, undos);
    this.undos.later();
    this.pasts = new SimPasts(this, disk, log, config.workspace(), pages, host, pasts);
    this.pasts.begin();
    this.wholeRestores.later();
  }

  /** What agents had done before the replay begins; sometimes that cannot be read. */
  private TouchWindow window(ReplayStart start) {
    if (start.index() == 0) {
      return new TouchWindow();
    }
    LeaderDisk.StoredWindow stored = disk.windows().get(start.index());
    if (stored == null && disk.wasStandby()) {
      forgottenThrough = start.index();
      return new TouchWindow();
    }
    if (stored == null) {
      throw new Violation("no window was stored beside the snapshot of entry " + start.index());
    }
    if (new Prng(timeline.monotonicNs() + 2).oneIn(FORGETFUL_ONE_IN)) {
      forgottenThrough = start.index();
      disk.snapshots().count(LeaderDisk.FORGOTTEN);
      return new TouchWindow();
    }
    forgottenThrough = stored.forgottenThrough();
    try {
      TouchWindow.Image image = WindowCodec.decode(stored.bytes());
      if (image.index() != start.index() || !image.root().equals(start.state().root())) {
        throw new Violation("beside the snapshot of entry " + start.index() + " is another window");
      }
      return TouchWindow.of(image);
    } catch (DecodeException e) {
      throw new IllegalStateException("a window that nobody has damaged", e);
    }
  }

  private void storeWindow(TouchWindow.Image image) {
    disk.windows()
        .put(
            image.index(),
            new LeaderDisk.StoredWindow(WindowCodec.encode(image), forgottenThrough));
  }

  private SimSnapshots.Steps beforeSnapshot(long after, long last) {
    LoggedChunks chunks = LoggedChunks.beforeSnapshot(log, disk.chunks(), after, last);
    return () -> {
      if (chunks.step()) {
        return true;
      }
      agent().sequencer().storeWindow(last, this::storeWindow);
      if (!disk.windows().containsKey(last)) {
        throw new Violation("no window is stored beside the snapshot of entry " + last);
      }
      return false;
    };
  }

  private SimPasts pasts() {
    return pasts;
  }

  @Override
  public Host host() {
    return host;
  }

  /** A replica that begins has no agent yet, and does not begin. */
  private void unreadable(PageUnreadableException page) {
    if (agent != null) {
      agent.pageUnreadable(page);
    }
  }

  public LeaderAgent agent() {
    return agent;
  }

  /** The judge of its log. */
  public LogChecker judge() {
    return checker;
  }

  /**
   * Sets what is done when a worker has seen what this leader does not have.
   *
   * @param then ends this run, at once
   */
  public void onOutdated(Consumer<RuntimeException> then) {
    outdated = then;
  }

  /** Another leader has taken over, as all workers know: from now on it may acknowledge nothing. */
  public void deposed() {
    isDeposed = true;
  }

  /** The newest state, which need not be durable yet. */
  PastStates.Newest newest() {
    return new PastStates.Newest(
        agent.sequencer().head(),
        agent.sequencer().headIndex(),
        agent.sequencer().lastTimeNs(),
        List.copyOf(agent.snapshots().all()));
  }

  /** States of the past beside the newest one. */
  PastStates past(PastStates.Newest newest) {
    return new PastStates(
        log,
        workspace,
        new StoredPages(disk.chunks(), RateLimit.NONE),
        newest,
        new HeapAllowance(Long.MAX_VALUE, ""),
        () -> {});
  }

  /** Waits until an entry is durable, as a request does that rests on it. */
  void whenDurable(long index, Runnable then) {
    if (log.durableIndex() >= index) {
      then.run();
    } else {
      host.after(Timeline.MS, "", () -> whenDurable(index, then));
    }
  }

  /** The root after an entry that is durable. */
  Hash rootOf(long index) {
    return checker.root(index);
  }

  /** Who restores everything. */
  public SimStateRestores wholeRestores() {
    return wholeRestores;
  }

  /** Who restores paths. */
  public SimRestores restores() {
    return restores;
  }

  /** Who undoes what a worker did. */
  public SimUndos undos() {
    return undos;
  }

  /**
   * Ends this run.
   *
   * @param powerLost true for a loss of power, false for a kill of the process
   */
  public void crash(boolean powerLost) {
    host.crash();
    disk.crash(powerLost);
  }

  @Override
  public void opened(SimConnection connection) {
    lastSession++;
    SessionId id = new SessionId(lastSession);
    sessions.put(id, connection);
    WorkerId worker = connection.worker().id();
    SharedProcess shared = process;
    if (shared != null) {
      host.execute(() -> shared.arrivals().connected(id, worker, OTHER_HOST));
    } else {
      host.execute(() -> agent.sessionOpened(id, worker, "simulated"));
    }
  }

  @Override
  public void received(SimConnection connection, WorkerMessage message) {
    SessionId id = idOf(connection);
    SharedProcess shared = process;
    if (id != null && shared != null) {
      host.execute(() -> shared.arrivals().received(id, message));
    } else if (id != null) {
      host.execute(() -> guarded(() -> take(id, message)));
    }
  }

  @Override
  public void writable(SimConnection connection) {
    SharedProcess shared = process;
    SessionId id = idOf(connection);
    if (shared != null && id != null) {
      host.execute(() -> shared.arrivals().writable(id, StreamKind.LOG));
    } else {
      host.execute(agent::writable);
    }
  }

  @Override
  public void closed(SimConnection connection) {
    SessionId id = idOf(connection);
    if (id != null) {
      sessions.remove(id);
      tellClosed(id);
    }
  }

  private void tellClosed(SessionId id) {
    SharedProcess shared = process;
    if (shared != null) {
      host.execute(() -> shared.arrivals().closed(id, "simulated"));
    } else {
      host.execute(() -> agent.sessionClosed(id, "simulated"));
    }
  }

  /** The process that a worker shares; null if none does. */
  public @Nullable SharedProcess process() {
    return process;
  }

  /** What the production transports bring, where a worker is in this process. */
  private final class Arrivals implements LeaderTransportListener {
    @Override
    public void connected(SessionId session, WorkerId worker, SocketAddress address) {
      agent.sessionOpened(session, worker, "simulated");
      host.wake();
    }

    @Override
    public void connected(
        SessionId session, WorkerId worker, CertificateFacts cert, SocketAddress address) {
      agent.sessionOpened(session, worker, "simulated", cert);
      host.wake();
    }

    @Override
    public void received(SessionId session, WorkerMessage message) {
      guarded(() -> take(session, message));
    }

    @Override
    public void flushPoint() {
      host.workNow();
    }

    @Override
    public void writable(SessionId session, StreamKind kind) {
      agent.writable();
      host.wake();
    }

    @Override
    public void closed(SessionId session, String reason) {
      agent.sessionClosed(session, reason);
      host.wake();
    }
  }

  /** All sessions that have not ended. */
  private Set<SessionId> openSessions() {
    Set<SessionId> open = new LinkedHashSet<>(sessions.keySet());
    SessionId here = process == null ? null : process.here();
    if (here != null) {
      open.add(here);
    }
    return open;
  }

  /**
   * Whether this chunk must be here: for states and entries of which no chunk may be collected, or
   * for what the worker of this session shows or has still to apply. When it connected, a part may
   * have been gone already.
   */
  boolean needs(SessionId id, Hash chunk) {
    WorkerSession session = agent.sessions().get(id);
    long after = agent.collections().through();
    Long before = collectedAtHello.get(id);
    if (session != null && before != null && session.isEstablished() && !session.isInstalling()) {
      long shown = session.appliedIndex();
      if (session.report() != null) {
        shown = Math.min(shown, session.visibleIndex());
      }
      after = Math.min(after, Math.max(before, shown));
    }
    return checker.isNeeded(chunk, after);
  }

  /** Sends chunk data, which does not go through the agent. */
  void sendBulk(SessionId id, LeaderMessage message) {
    if (process != null) {
      process.sendBulk(id, message);
      return;
    }
    SimConnection connection = sessions.get(id);
    if (connection != null) {
      connection.send(message);
      connection.flushDown();
    }
  }

  /** The symbols of a chunk are about to be sent. */
  void pushing(SessionId id) {
    DataPlaneStatus status = agent.fanout().status(id);
    if (status != null) {
      DataPlaneChecker.sending(status, limits);
    }
  }

  /** Sends a symbol in a datagram. */
  void sendSymbol(SessionId id, ChunkSymbol symbol) {
    SimConnection connection = sessions.get(id);
    if (connection != null) {
      connection.send(symbol);
      connection.flushDown();
    }
  }

  /** A snapshot is in the catalog. */
  private void taken() {
    if (installs.isWaiting()
        || sessions.values().stream().anyMatch(each -> each.worker().isInstalling())) {
      disk.snapshots().count(LeaderDisk.TAKEN_BESIDE);
    }
  }

  private void take(SessionId id, WorkerMessage message) {
    WorkerSession session = agent.sessions().get(id);
    if (session == null) {
      return;
    }
    String worker = session.worker().name();
    long now = timeline.monotonicNs();
    if (session.isEstablished()) {
      lockSessions.heard(worker, now);
    }
    if (message instanceof WorkerMessage.Hello hello) {
      installs.hello(worker, hello.appliedIndex(), log.firstIndex(), now);
      collectedAtHello.put(id, agent.collections().through());
      if (hello.appliedIndex() < agent.collections().through()) {
        disk.snapshots().count(LeaderDisk.CAME_BACK);
      }
    }
    if (message instanceof WorkerMessage.WorkerApplied report) {
      collected.reported(id, report.visibleIndex());
    }
    if (message instanceof WorkerMessage.MulticastHeard heard) {
      heard(id, heard);
    }
    try {
      agent.received(id, message instanceof WorkerMessage.Hello hello ? tampered(hello) : message);
    } catch (DeposedException | OldStateException why) {
      outdated.accept(why);
      return;
    }
    if (message instanceof WorkerMessage.Hello hello && hasSeenNext(hello.seen())) {
      throw new Violation(worker + " has seen the next leader, and this one goes on");
    }
    if (message instanceof WorkerMessage.Hello hello && session.isEstablished()) {
      lockSessions.established(worker, hello.run(), agent.locks().session(session.worker()), now);
      open.established(worker, agent.leases()::isHeld);
    } else if (message instanceof WorkerMessage.WorkerApplied report) {
      open.reported(worker, report, agent.leases()::isHeld);
    }
  }

  private boolean hasSeenNext(SeenState seen) {
    return seen.lineage() == disk.lineage().id() && seen.term() > disk.term().number();
  }

  /** Somebody may have put another token into a Hello. */
  private WorkerMessage.Hello tampered(WorkerMessage.Hello hello) {
    WorkerMessage.Hello arriving = tokens.tampered(hello);
    presence.hello(
        hello.worker().name(), hello.run(), !arriving.resumeToken().equals(hello.resumeToken()));
    return arriving;
  }

  private void lookAtPresence() {
    Set<String> online = new HashSet<>();
    for (WorkerSession session : agent.sessions().all()) {
      if (session.isEstablished()) {
        online.add(session.worker().name());
      }
    }
    List<PresenceEvent> events = agent.presence().events().after(lastPresenceEvent);
    for (PresenceEvent event : events) {
      tokens.count(event);
      lastPresenceEvent = event.number();
    }
    presence.look(events, agent.presence().peers(), online, timeline.monotonicNs());
  }

  private void heard(SessionId id, WorkerMessage.MulticastHeard heard) {
    if (heard.newestPacket() > newestHeard.getOrDefault(id, 0L)) {
      newestHeard.put(id, heard.newestPacket());
      heardNs.put(id, host.awakeNs());
    }
  }

  /** Who is sent to all must have told of something lately. */
  private void lookAtHearing() {
    if (agent.fanout().multicast() == null) {
      return;
    }
    for (SessionId id : openSessions()) {
      DataPlaneStatus status = agent.fanout().status(id);
      boolean hears = status != null && status.isMulticast();
      if (hears) {
        long silentNs = host.awakeNs() - heardNs.getOrDefault(id, 0L);
        DataPlaneChecker.hears(silentNs, DEAF_NS);
        hearing.add(id);
      } else if (hearing.remove(id)) {
        disk.snapshots().count(SnapshotDisk.LEFT_OUT);
      }
    }
  }

  /** Says durably that chunks may be gone. */
  private void raising(long index) {
    Set<SessionId> open = new HashSet<>();
    sessions.forEach(
        (id, connection) -> {
          if (!connection.isClosedByLeader()) {
            open.add(id);
          }
        });
    if (process != null && process.here() != null) {
      open.add(process.here());
    }
    long newest = newestSnapshot();
    collected.raised(index, newest, open, timeline.monotonicNs());
    if (index < newest) {
      disk.snapshots().count(LeaderDisk.HELD_BACK);
    }
  }

  /** What the catalog has, whatever this leader knows of it. */
  private long newestSnapshot() {
    List<Snapshot> all = disk.snapshots().known();
    return all.isEmpty() ? 0 : all.getLast().index();
  }

  private void sending(SimConnection connection, LeaderMessage message) {
    sending(idOf(connection), connection.worker().id().name(), connection::breakDown, message);
  }

  private void sending(SessionId id, LeaderMessage message) {
    SimConnection connection = sessions.get(id);
    if (connection != null) {
      sending(connection, message);
    } else if (process != null) {
      sending(id, workerHere.name(), process::breakConnection, message);
    }
  }

  private void sending(
      @Nullable SessionId id, String worker, Runnable breakDown, LeaderMessage message) {
    checker.sent(message);
    if (isDeposed && message instanceof LeaderMessage.CommitAck ack) {
      throw new Violation("a deposed leader answers " + ack + " to " + worker);
    }
    if (hasLackedPage
        && message instanceof LeaderMessage.CommitAck ack
        && ack.errno() == Errno.EIO) {
      checker.refusedForPage(ack.intent());
    }
    if (message instanceof LeaderMessage.Welcome welcome) {
      tokens.welcomed(worker, welcome.grant());
      presence.welcomed(
          worker,
          welcome.grant(),
          agent.presence().events().after(lastPresenceEvent),
          timeline.monotonicNs());
    } else if (message instanceof LeaderMessage.SessionRenewed renewed) {
      tokens.overheard(worker, renewed.token());
    }
    if (id != null && message instanceof LeaderMessage.Welcome welcome) {
      collected.welcomed(
          id, worker, welcome.collectedThrough(), disk.collected().through(), newestSnapshot());
    }
    open.sent(worker, message);
    if (message instanceof LeaderMessage.SnapshotOffer offer) {
      if (id != null) {
        collected.offered(id, offer.index(), timeline.monotonicNs());
      }
      installs.offered(worker, offer.index(), timeline.monotonicNs());
      for (int i = trimPrng.below(4); i > 0; i--) { // what is newer than the offer lets the log go
        host.after(
            trimPrng.scale(FASTEST_INTERRUPTION_NS, SLOWEST_INTERRUPTION_NS),
            "",
            () -> host.execute(() -> agent.snapshots().soon(timeline.monotonicNs())));
      }
      if (mayLoseTouch && trimPrng.oneIn(INTERRUPTED_INSTALLS_ONE_IN)) {
        host.after(trimPrng.scale(FASTEST_INTERRUPTION_NS, SLOWEST_INTERRUPTION_NS), "", breakDown);
      }
    }
    if (message instanceof LeaderMessage.LockExpiryWarning) {
      lockSessions.warned(worker, timeline.monotonicNs());
    }
  }

  private int work() {
    int[] work = {0};
    guarded(() -> work[0] = agent.doWork());
    lookAtHearing();
    lookAtPresence();
    lockSessions.look(
        worker -> agent.locks().session(new WorkerId(worker)), timeline.monotonicNs());
    // When the agent closes a session, the transport reports the end of that session once.
    for (SessionId id : List.copyOf(sessions.keySet())) {
      SimConnection connection = sessions.get(id);
      if (connection != null && connection.isClosedByLeader()) {
        sessions.remove(id);
        tellClosed(id);
      }
    }
    return work[0];
  }

  private void appended(byte[] payload) {
    try {
      LogEntry entry = LogEntryCodec.decode(payload);
      requireChunks(entry);
      fences.logging(entry.agent(), entry.origin().name());
      for (Hazard hazard : HazardReport.decode(entry.hazard())) {
        if (hazard instanceof Hazard.Overlap overlap && overlap.conflictsWith() <= begun) {
          disk.snapshots().count(LeaderDisk.TOLD_OVER_START);
        }
      }
      older.next(agent().sequencer().head());
      if (entry.op() instanceof FsOp.ReapOrphans reap) {
        open.reaping(
            reap,
            agent.sessions().all().stream()
                .filter(WorkerSession::isEstablished)
                .map(session -> session.worker().name())
                .collect(Collectors.toSet()));
      } else if (entry.op() instanceof FsOp.RestoreState restore) {
        open.restoring(restore);
        wholeRestores.logging(entry.index(), restore);
      }
    } catch (DecodeException e) {
      throw new IllegalStateException("the leader logs what is no entry", e);
    }
  }

  /**
   * A logged entry must be readable: this run of the leader must have stored or verified each of
   * its chunks (9.3).
   */
  private void requireChunks(LogEntry entry) {
    if (entry.inlinePayload().length > 0) {
      return;
    }
    for (ChunkRef chunk : entry.op().chunks()) {
      if (chunk.length() > 0 && !disk.chunks().wasIntact(chunk.hash())) {
        throw new Violation(
            "entry "
                + entry.index()
                + " rests on chunk "
                + chunk
                + ", which this leader has neither stored nor read");
      }
    }
  }

  private void durable() {
    checker.grew(disk.durableLog());
    host.wake();
  }

  /** As a leader that makes snapshots does: at any time, whether a batch is due or not. */
  private void persistIntentsLater() {
    host.after(
        intentPrng.scale(Timeline.MS, LONGEST_WITHOUT_INTENT_WRITE_NS),
        "",
        () -> {
          host.execute(agent::persistIntents);
          persistIntentsLater();
        });
  }

  /** Counts what has come about. */
  public void check() {
    if (agent.recovery().recovered() > recovered) {
      recovered = agent.recovery().recovered();
      disk.snapshots().count(SnapshotDisk.RECOVERED);
    }
  }

  /** More often than any leader does, and as much as may go. */
  private void trimLater() {
    host.after(
        trimPrng.scale(SHORTEST_WITHOUT_TRIM_NS, LONGEST_WITHOUT_TRIM_NS),
        "",
        () -> {
          host.execute(this::trim);
          trimLater();
        });
  }

  private void trim() {
    if (trimPrng.oneIn(2)) {
      agent.persistIntents();
    }
    long through = Math.min(agent.trimmableThrough(), log.durableIndex());
    if (!mayLoseTouch || !trimPrng.oneIn(TRIMS_AHEAD_ONE_IN)) {
      through = agent.sessions().appliedByAll(through);
    }
    long first = log.firstIndex();
    if (through >= first) {
      long now = log.trim(through);
      if (now > first) {
        disk.trimmed(now);
      }
    }
  }

  /** The write happens at some moment, and the agent hears of it later. */
  private void writeIntents(IntentBatch batch) {
    host.after(
        intentPrng.scale(50_000, SLOWEST_INTENT_WRITE_NS),
        "",
        () -> {
          agent.sequencer().intents().store().write(batch);
          disk.intentsWritten(batch.size());
          host.after(
              intentPrng.scale(50_000, SLOWEST_INTENT_WRITE_NS),
              "",
              () -> host.execute(() -> agent.intentsWritten(batch)));
        });
  }

  private void readLog(SessionId session, long fromIndex, int maxBytes) {
    host.after(
        prng.scale(50_000, SLOWEST_LOG_READ_NS),
        "",
        () -> {
          List<byte[]> entries = new ArrayList<>();
          try {
            int _ = log.read(fromIndex, maxBytes, (_, payload) -> entries.add(payload));
            host.execute(() -> agent.logRead(session, fromIndex, entries));
          } catch (IndexOutOfBoundsException trimmed) {
            host.execute(() -> agent.logTrimmed(session, fromIndex));
          } catch (IOException e) {
            cannotRead(session, e);
          }
        });
  }

  /**
   * Calls the agent. An exception from it would end the leader, and only a damaged log may cause
   * one.
   */
  private void guarded(Runnable call) {
    try {
      call.run();
    } catch (IllegalStateException e) {
      if (!disk.isLogDamaged() || !(e.getCause() instanceof OpLogCorruptException corrupt)) {
        throw e;
      }
      failed.accept(String.valueOf(corrupt.getMessage()));
    }
  }

  /**
   * Handles an unreadable log as the product's log reader does: it closes the connection, and never
   * sends a log with a hole.
   */
  private void cannotRead(SessionId session, IOException why) {
    if (!disk.isLogDamaged()) {
      throw new IllegalStateException("a log that nobody has damaged", why);
    }
    host.note("cannot read the log: " + why.getMessage());
    SimConnection connection = sessions.get(session);
    if (connection != null) {
      connection.closeFromLeader(null);
      host.wake();
    } else if (process != null) {
      process.breakConnection();
    }
  }

  /** What of the state is in memory. */
  public PageCache pages() {
    return pages;
  }

  private @Nullable SessionId idOf(SimConnection connection) {
    for (Map.Entry<SessionId, SimConnection> each : sessions.entrySet()) {
      if (each.getValue() == connection) {
        return each.getKey();
      }
    }
    return null;
  }

  /** The newest snapshot, which must be readable unless something on the disk is damaged. */
  private ReplayStart replayStart(List<Snapshot> known, WorkspaceId workspace) {
    Manifest newest =
        SnapshotReader.newest(
            known, pages, workspace, SnapshotReader.RoomCheck.NONE, disk.snapshots().isSuspect());
    long index = newest == null ? 0 : newest.index();
    if (known.isEmpty() || index == known.getLast().index()) {
      disk.snapshots().trusted();
    }
    if (index + 1 < disk.firstIndex() && disk.chunks().isDamaged()) {
      // The log alone does not do any more: an operator restores the chunks from a copy.
      disk.chunks().repair();
      return replayStart(known, workspace);
    }
    if (!known.isEmpty() && index != known.getLast().index() && !disk.chunks().isDamaged()) {
      throw new Violation("snapshot of entry " + known.getLast().index() + " cannot be read");
    }
    if (newest == null) {
      return ReplayStart.genesis(RootVersion.LATEST);
    }
    disk.snapshots().count(SnapshotDisk.READ);
    return ReplayStart.of(newest);
  }

  /**
   * Sometimes the record of a snapshot cannot be read, this time. Not if the log was trimmed, so
   * that no leader could start.
   */
  private List<Snapshot> readable(List<Snapshot> all) {
    if (all.isEmpty() || !prng.oneIn(UNREADABLE_ONE_IN)) {
      return all;
    }
    List<Snapshot> known = new ArrayList<>(all);
    known.remove(prng.oneIn(2) ? known.size() - 1 : prng.below(known.size()));
    if ((known.isEmpty() ? 0 : known.getLast().index()) + 1 < disk.firstIndex()) {
      return all;
    }
    disk.snapshots().count(LeaderDisk.HIDDEN);
    return known;
  }

  private LeaderState judged(LeaderState state, long begin) {
    checker.recovered(
        disk.durableLog(),
        disk.chunks().isFull() ? null : disk.chunks(),
        // What a standby had in its log only is stored again in the background.
        disk.wasStandby()
            ? Math.max(begin, disk.collected().through())
            : disk.collected().through());
    Hash expected = checker.root(state.index());
    if (!state.root().equals(expected)) {
      throw new IllegalStateException("recovered to another root than the log's");
    }
    return state;
  }
}
