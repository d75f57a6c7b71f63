package io.hypersync.sim.node;

import io.hypersync.chunkstore.UsedChunks;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.snapshot.ManifestStates;
import io.hypersync.model.state.Extent;
import io.hypersync.model.state.FileContent;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.RestoredStates;
import io.hypersync.model.state.StateChunks;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.sim.check.ChunkWaitChecker;
import io.hypersync.sim.check.DataPlaneChecker;
import io.hypersync.sim.check.EverywhereChecker;
import io.hypersync.sim.check.KeptPayloadChecker;
import io.hypersync.sim.check.LinkRecord;
import io.hypersync.sim.check.LogChecker;
import io.hypersync.sim.check.NaiveFiles;
import io.hypersync.sim.check.NoticeChecker;
import io.hypersync.sim.check.OlderState;
import io.hypersync.sim.check.PartitionChecker;
import io.hypersync.sim.check.ReplicaChecker;
import io.hypersync.sim.check.SnapshotChecker;
import io.hypersync.sim.check.Violation;
import io.hypersync.sim.check.WakeChecker;
import io.hypersync.sim.disk.SimChunkStore;
import io.hypersync.sim.disk.SnapshotDisk;
import io.hypersync.sim.mainhost.LocalWorkerLink;
import io.hypersync.sim.mainhost.SharedProcess;
import io.hypersync.sim.mainhost.WorkerSide;
import io.hypersync.sim.net.SimConnection;
import io.hypersync.sim.net.SimGroup;
import io.hypersync.sim.net.SimNetwork;
import io.hypersync.sim.net.WorkerEnd;
import io.hypersync.sim.world.Host;
import io.hypersync.sim.world.MachineClock;
import io.hypersync.sim.world.Prng;
import io.hypersync.sim.world.Timeline;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotReader;
import io.hypersync.snapshot.schedule.SnapshotManager;
import io.hypersync.snapshot.schedule.SnapshotPolicy;
import io.hypersync.wire.message.ChunkDelivery;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.message.Feature;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.LeaderMessage.LockExpiryWarning;
import io.hypersync.wire.message.LeaderMessage.Notice;
import io.hypersync.wire.message.LocalPressure;
import io.hypersync.wire.message.SeenState;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.transport.PathFigures;
import io.hypersync.worker.WorkerAgent;
import io.hypersync.worker.WorkerConfig;
import io.hypersync.worker.WorkerStart;
import io.hypersync.worker.cache.CacheLimits;
import io.hypersync.worker.cache.ChunkCache;
import io.hypersync.worker.dataplane.ReceivedBlock;
import io.hypersync.worker.link.LinkState;
import io.hypersync.worker.port.ApplyListener;
import io.hypersync.worker.port.EntryMirror;
import io.hypersync.worker.port.Surroundings;
import io.hypersync.worker.replica.IndexedState;
import io.hypersync.worker.snapshot.WorkerSnapshots;
import io.hypersync.worker.vfs.CachePolicy;
import io.hypersync.worker.vfs.KernelInodes;
import io.hypersync.worker.vfs.Vfs;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One run of a worker, from start to crash: the production agent and vfs over a chunk store that
 * survives the run.
 */
public final class SimWorker implements WorkerEnd {
  private static final int RECENT_CHUNKS = 20;

  private final WorkerId id;
  private final Host host;
  private final SimWorkerLink link;
  private final @Nullable SharedProcess process;
  private final SimChunkStore store;
  private final SimWorkerChunks chunks;
  private final WorkerAgent agent;
  private final KernelInodes inodes = new KernelInodes();
  private final Vfs vfs;
  private final SimMutations mutations;
  private final SimAgents agents;
  private NaiveFiles files;
  private final ReplicaChecker replica;
  private final PartitionChecker silence;
  private final ChunkWaitChecker waits;
  private final KeptPayloadChecker payloads;
  private final LinkRecord record;
  private final Recording recording;

  /** The log of the leader that it follows, or has followed last. */
  private LogChecker log;

  /** That of a leader which has welcomed it, and of whose states it shows none yet. */
  private @Nullable LogChecker next;

  private final List<SnapshotChecker> judges = new ArrayList<>();
  private final SnapshotChecker installJudge;
  private final SimLocks locks;
  private final SnapshotDisk disk;
  private final SimInstalls installs;
  private final PageCache pages;
  private final SnapshotChecker snapshotChecker;
  private final OlderState older;
  private final boolean isLimited;
  private final NoticeChecker noticeChecker;
  private boolean endNoted;
  private boolean refusalNoted;
  private boolean isDiverged;
  private boolean lackedLease;
  private long checkedIndex = -1;
  private long backfilled;
  private long collectedThrough;

  /**
   * Starts the agent.
   *
   * @param policy how often snapshots are taken, and how many are kept
   * @param limits how much its chunks may take, and how often they are collected
   * @param stateMemory what of the state need not be in memory may take so much, in bytes
   * @param run number of this run of the worker; makes the tags of its mutations unique
   * @param tickNs interval of the agent's timed work, in nanoseconds
   * @param silenceToleranceNs the longest time that the mount may stay writable while the leader is
   *     silent
   * @param strictReads see {@link CachePolicy}
   * @param process the leader's process, if this worker is in it, else null
   * @param agentPrng of the processes that belong to agents; a source of its own
   * @param mirrors makes what keeps all that is shown, in this process: that of a standby
   * @param failed told why that has ended this process
   */
  public SimWorker(
      WorkerConfig config,
      SnapshotPolicy policy,
      CacheLimits limits,
      long stateMemory,
      int run,
      SnapshotDisk disk,
      SimNetwork network,
      SimGroup group,
      Timeline timeline,
      Prng prng,
      long tickNs,
      long silenceToleranceNs,
      boolean strictReads,
      @Nullable SharedProcess process,
      Prng agentPrng,
      Recording recording,
      Function<Host, EntryMirror> mirrors,
      Consumer<UserError> failed) {
    this.id = config.worker();
    this.log = recording.log();
    this.disk = disk;
    this.store = disk.chunks();
    String name = id.name();
    this.noticeChecker = new NoticeChecker(name);
    this.host = new Host(timeline, prng.split(), name);
    SimMulticastReceiver multicast = new SimMulticastReceiver(this, group, disk);
    this.link = new SimWorkerLink(network, this, multicast);
    this.process = process;
    LocalWorkerLink local = null;
    if (process != null) {
      local = process.link(new Side(), multicast::join, multicast::leave);
      host.ownedBy(process::owned);
      host.shares(process.threadOf(local));
    }
    BroughtCalls calls = new BroughtCalls(host, process, local);
    this.chunks = new SimWorkerChunks(store, host, prng.split(), this);
    this.files = new NaiveFiles(recording.bytes().byHash());
    List<Snapshot> known = disk.known();
    this.pages = SnapshotReader.cache(store, stateMemory, false);
    pages.onUnreadable(
        page -> {
          if (store.rotted() == 0 && isInstalled()) {
            throw new Violation(name + "'s state needs what is gone: " + page.getMessage());
          }
          disk.suspect();
          host.execute(() -> unreadable(page));
        });
    Snapshot handedOver = disk.takeHandedOver();
    RestoredStates restored = ManifestStates.lazy(config.workspace(), RootVersion.LATEST, pages);
    WorkerStart begin =
        handedOver == null
            ? WorkerStart.of(start(disk, pages, known, config.workspace()), pages.dirty(), restored)
            : new WorkerStart(
                received(handedOver, pages, config.workspace()),
                pages.dirty(),
                restored,
                handedOver);
    Manifest start = begin.manifest();
    this.replica = new ReplicaChecker(name, log, store, start.index());
    for (long k = 1; k <= start.index(); k++) {
      files.applied(log.entry(k), log);
    }
    this.recording = recording;
    this.snapshotChecker = judge(config.workspace());
    this.silence = new PartitionChecker(name, host::awakeNs, silenceToleranceNs);
    this.waits = new ChunkWaitChecker(name, host::awakeNs, tickNs);
    this.payloads = new KeptPayloadChecker(name);
    this.installJudge = judge(config.workspace());
    this.installs =
        new SimInstalls(
            disk,
            config.workspace(),
            host,
            prng.split(),
            installJudge,
            snapshot -> received(snapshot, pages, config.workspace()),
            () -> agent());
    this.isLimited = limits.isLimited();
    UsedChunks recent = new UsedChunks(limits.recentBytes(), RECENT_CHUNKS);
    SimCache cache =
        new SimCache(
            disk,
            config.workspace(),
            limits,
            recent,
            pages::needed,
            host,
            () -> agent(),
            this::checkWhole);
    this.agent =
        new WorkerAgent(
            config,
            begin,
            new WorkerSnapshots(
                new SnapshotManager(
                    new SimSnapshots(
                        SimSnapshots.Preparation.NONE,
                        disk,
                        pages,
                        host,
                        prng.split(),
                        judge(config.workspace()),
                        () -> {},
                        () -> agent().snapshots(),
                        why -> {
                          throw new Violation("a sync that nobody made fail: " + why);
                        }),
                    policy,
                    config.workspace(),
                    known,
                    start.index(),
                    timeline.monotonicNs())),
            new ChunkCache(cache, limits, timeline.monotonicNs()),
            installs,
            local == null ? link : local,
            chunks,
            inodes,
            inodes,
            new SimCacheNotifier(host, prng.split(), ticket -> agent().dropped(ticket)),
            pid -> pid % 2 == 0, // the others have signal handlers
            new Shown(),
            new ToldPeople(),
            new MachineClock(timeline, host),
            prng.split(),
            _ -> {});
    agent.remember(disk.seen());
    EntryMirror mirror = mirrors.apply(host);
    if (!mirror.equals(EntryMirror.NONE)) {
      agent.mirrorTo(mirror);
      mirror.begins(start.index());
      host.ownedBy(
          task -> {
            try {
              task.run();
            } catch (UserError ended) { // as in the product, where it ends the thread
              failed.accept(ended);
            }
          });
    }
    this.record = new LinkRecord(name, timeline, agent::isWritable, config.leaderStaleNs());
    this.agents = new SimAgents(agentPrng, timeline);
    this.mutations =
        new SimMutations(
            name, name + "." + run + "/", host, calls, agent, agents, recording, record, payloads);
    this.locks = new SimLocks(name, host, calls, agent, recording.locks(), record);
    this.vfs =
        new Vfs(
            agent::view,
            inodes,
            mutations,
            locks,
            store,
            recent,
            _ -> new int[0],
            () -> 1L << 40,
            _ -> {},
            new CachePolicy(true, true, true, strictReads),
            timeline);
    cache.draws(prng.split()); // last, so that what is drawn for everything else stays the same
    this.older = new OlderState(prng.split(), store::isDamaged);
    WakeChecker wakes = new WakeChecker(name, config.leaderTimeoutNs());
    host.runs(
        () -> {
          int done = agent.doWork();
          wakes.worked(host.suspendedNs(), agent.isWritable());
          return done;
        });
    host.tickEvery(tickNs);
    host.wake();
  }

  private SnapshotChecker judge(WorkspaceId workspace) {
    SnapshotChecker judge = new SnapshotChecker(workspace, log);
    judges.add(judge);
    return judge;
  }

  /** The log that the next run is to be judged by. */
  public LogChecker judge() {
    LogChecker arriving = next;
    return arriving != null && installs.hasReceived() ? arriving : log;
  }

  /**
   * A message of a leader has come, which may be another one than before and go on with another
   * log: then what is shown here is of that one, too, or is replaced by a snapshot of it. Entries
   * may overtake the Welcome.
   */
  private void meets(LogChecker theirs, LeaderMessage message) {
    if (theirs.equals(log)) {
      return;
    }
    if (message instanceof LeaderMessage.Welcome welcome && !isDeposed(welcome)) {
      SeenState seen = agent.seen();
      // What it shows may be of a lineage before, until a snapshot has replaced it.
      boolean isShown = seen.index() == agent.visible().index();
      Violation.unless(
          isShown || seen.lineage() != welcome.lineage() || theirs.has(seen.index(), seen.root()),
          id,
          " is welcomed by a leader that lacks ",
          seen);
      if (theirs.has(agent.visible())) {
        follow(theirs, welcome.commitIndex());
      } else {
        next = theirs;
        installJudge.follow(theirs);
        record.follows(welcome.commitIndex());
      }
    } else if (message instanceof LeaderMessage.LogEntries entries) {
      Violation.unless(
          theirs.has(agent.visible()), id, " goes on with a state that its leader never had");
      follow(theirs, entries.commitIndex());
    }
  }

  private boolean isDeposed(LeaderMessage.Welcome welcome) {
    SeenState seen = agent.seen();
    return welcome.lineage() == seen.lineage() && welcome.term() < seen.term();
  }

  private void follow(LogChecker theirs, long commitIndex) {
    log = theirs;
    next = null;
    replica.follow(theirs);
    judges.forEach(judge -> judge.follow(theirs));
    record.follows(commitIndex);
  }

  /** The newest snapshot, which must be readable unless something on the disk is damaged. */
  private static Manifest start(
      SnapshotDisk disk, PageCache cache, List<Snapshot> known, WorkspaceId workspace) {
    Manifest newest =
        SnapshotReader.newest(
            known, cache, workspace, SnapshotReader.RoomCheck.NONE, disk.isSuspect());
    long index = newest == null ? 0 : newest.index();
    if (known.isEmpty() || index == known.getLast().index()) {
      disk.trusted();
    }
    if (!known.isEmpty() && index != known.getLast().index() && !disk.chunks().isDamaged()) {
      throw new Violation("snapshot of entry " + known.getLast().index() + " cannot be read");
    }
    if (newest == null) {
      return Manifest.genesis(workspace, RootVersion.LATEST);
    }
    disk.count(SnapshotDisk.READ);
    return newest;
  }

  private static Manifest received(Snapshot snapshot, PageCache cache, WorkspaceId workspace) {
    try {
      return Manifest.read(
          snapshot.manifest(), workspace, (version, _) -> cache.reader(version), cache.source());
    } catch (DecodeException | PageMissingException e) {
      throw new Violation("the leader has offered what is no snapshot: " + e.getMessage());
    }
  }

  @Override
  public Host host() {
    return host;
  }

  @Override
  public WorkerId id() {
    return id;
  }

  /**
   * Whether all that the state needs should be here. What an entry restores is looked at, and then
   * fetched, before it is visible.
   */
  private boolean isInstalled() {
    return agent == null || (agent.isInstalled() && !isBehindRestore());
  }

  private boolean isBehindRestore() {
    List<Long> restores = log.restores();
    return !restores.isEmpty() && restores.getLast() > agent.visible().index();
  }

  /** A replica that begins has no agent yet, and does not begin. */
  private void unreadable(PageUnreadableException page) {
    if (agent != null) {
      agent.pageUnreadable(page);
    }
  }

  public WorkerAgent agent() {
    return agent;
  }

  public Vfs vfs() {
    return vfs;
  }

  /** The inodes that its kernel holds references to. */
  public KernelInodes inodes() {
    return inodes;
  }

  /** What of the state is in memory. */
  public PageCache pages() {
    return pages;
  }

  /** Its chunk store, which survives the run. */
  public SimChunkStore chunks() {
    return store;
  }

  /** The processes of its host. */
  public SimAgents agents() {
    return agents;
  }

  /** Prefix of the tags of this run's mutations. */
  public String tagPrefix() {
    return mutations.tagPrefix();
  }

  /** The expected content of all files at the applied index. */
  public NaiveFiles files() {
    return files;
  }

  /** Whether no lock call is in transit and the worker is in this lock session. */
  public boolean isAtRest(long lockSession) {
    // One that has installed a snapshot has stopped: the leader learns of it from the next run.
    return !installs.hasReceived() && locks.isAtRest(lockSession);
  }

  /** What this run has received from the leader. */
  public LinkRecord record() {
    return record;
  }

  /** Whether it is connected to the leader and has caught up. */
  public boolean isLive() {
    return agent.monitor().state() == LinkState.LIVE;
  }

  /** Whether it has stopped for good: apply has failed, or the leader has refused it. */
  public boolean isStuck() {
    return agent.applyError() != null || agent.monitor().state() == LinkState.REFUSED;
  }

  /** Whether it has stopped, or will as soon as the entry that it cannot apply is durable. */
  public boolean needsOperator() {
    return isStuck() || agent.applyFailure() != null;
  }

  /** Whether this run has come to its own end; true once. */
  public boolean endsNow() {
    boolean isNews = !endNoted && installs.hasEnded();
    endNoted |= isNews;
    return isNews;
  }

  /** Whether it has stopped for good, so that an operator starts it again; true once. */
  public boolean isRefusedNow() {
    boolean isNews = !refusalNoted && (needsOperator() || isDiverged);
    refusalNoted |= isNews;
    return isNews;
  }

  @Override
  public boolean isInstalling() {
    return agent.install() != null;
  }

  /** The connection is lost, or this run crashes. */
  public void interrupted() {
    if (!agent.isInstalled()) {
      disk.count(SnapshotDisk.INTERRUPTED);
    }
  }

  /** Checks the state that readers see now. */
  public void check() {
    if (!host.isAlive()) {
      return; // until the leader starts, in whose process it is
    }
    IndexedState visible = agent.visible();
    if (visible.index() != checkedIndex) {
      checkedIndex = visible.index();
      replica.check(visible);
    }
    if (agent.backfill().fetched() > backfilled) {
      backfilled = agent.backfill().fetched();
      disk.count(SnapshotDisk.BACKFILLED);
    }
    silence.check(agent.isWritable());
    recording
        .everywhere()
        .check(id.name(), agent.needsLease() && agent.isWritable(), agent.settled());
    boolean lacksLease = agent.needsLease() && isLive() && !agent.isWritable() && !isStuck();
    if (lacksLease && !lackedLease) {
      recording.everywhere().count(EverywhereChecker.WITHOUT_LEASE, 1);
    }
    lackedLease = lacksLease;
    waits.check(agent.visible().index());
    record.look(host.pausedUntilNs());
  }

  /** Whether something of what is to be read is not here, and may not be here. */
  public boolean lacksChunks(NodeId file, long offset, int length) {
    if (!isLimited && !agent.backfill().isWanted()) {
      return false;
    }
    try {
      return anyChunk(file, offset, length, chunk -> !store.contains(chunk));
    } catch (PageUnreadableException e) {
      return true; // not even what says which chunks these are
    }
  }

  /** Whether the leader has told this worker that nobody has a chunk of what is to be read. */
  public boolean hasLostChunks(NodeId file, long offset, int length) {
    try {
      return anyChunk(file, offset, length, replica::isLost);
    } catch (PageUnreadableException e) {
      return false;
    }
  }

  private boolean anyChunk(NodeId file, long offset, int length, Predicate<Hash> wanted) {
    Node node = agent.visible().state().node(file);
    if (node != null && node.content() instanceof FileContent content) {
      Iterator<Extent> extents = content.from(offset);
      while (extents.hasNext()) {
        Extent extent = extents.next();
        if (extent.offset() < offset + length && wanted.test(extent.chunk())) {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether it shows a state of which nobody need have all content any more (decision 026). */
  public boolean isBehindCollection() {
    return agent.visible().index() < collectedThrough;
  }

  private void checkWhole() {
    if (store.rotted() == 0) {
      snapshotChecker.pages(disk.snapshots(), store);
    }
    checkContent();
  }

  /** Checks that all bytes of the visible state are here, if the worker believes so. */
  public void checkContent() {
    if (!isLimited && !agent.backfill().isWanted() && store.rotted() == 0) {
      for (Node node : agent.visible().state().nodes()) {
        StateChunks.forEach(
            node,
            chunk -> {
              if (!store.contains(chunk)) {
                throw new Violation(id + " lacks chunk " + chunk + " of " + node.id());
              }
            });
      }
    }
  }

  @Override
  public void linkUp(SimConnection connection) {
    if (link.accept(connection)) {
      host.execute(
          () -> {
            if (link.isCurrent(connection)) {
              agent.linkUp();
            }
          });
    }
  }

  @Override
  public void linkFailed() {
    link.attemptEnded();
    host.execute(() -> agent.linkDown("no answer"));
  }

  @Override
  public void received(SimConnection connection, LeaderMessage message) {
    host.execute(
        () -> {
          if (link.isCurrent(connection)) {
            silence.heard();
            if (connection.leader() instanceof SimLeader by) {
              meets(by.judge(), message);
            }
            note(message);
            take(message);
          }
        });
  }

  @Override
  public void received(SimConnection connection, ChunkSymbol symbol) {
    host.execute(
        () -> {
          if (link.isCurrent(connection)) {
            take(symbol);
          }
        });
  }

  @Override
  public void receivedLate(SimConnection connection, ChunkSymbol symbol) {
    host.execute(
        () -> {
          if (!link.isCurrent(connection)) {
            disk.count(SnapshotDisk.LATE);
          }
          take(symbol);
        });
  }

  /** A symbol has arrived, for this worker or for all. */
  void take(ChunkSymbol symbol) {
    waits.arrived(symbol);
    agent.received(symbol);
  }

  @Override
  public void repeats() {
    disk.count(SnapshotDisk.STUCK);
  }

  @Override
  public void linkDown(SimConnection connection) {
    host.execute(
        () -> {
          if (link.isCurrent(connection)) {
            link.ended();
            interrupted();
            agent.linkDown("the connection broke");
          }
        });
  }

  /** The link has measured its path. */
  void measured(PathFigures figures) {
    waits.measured(figures.rttNs());
  }

  /** The connection has ended, or is given up. */
  void disconnected() {
    waits.disconnected();
    payloads.disconnected();
  }

  /** A chunk was stored, or read and compared with its hash. */
  void stored(Hash chunk) {
    waits.settled(chunk);
    agent.chunkStored(chunk);
  }

  /** A chunk has arrived, and there is no room for it. */
  void notStored(Hash chunk, Errno why) {
    waits.asked(chunk);
    agent.chunkFailed(chunk, why, "no room");
  }

  /** A chunk is made of its symbols. */
  void settled(Hash chunk) {
    waits.settled(chunk);
  }

  /** The agent sends this message. */
  void sending(WorkerMessage message) {
    if (message instanceof WorkerMessage.ChunkFetch(var wanted)) {
      wanted.forEach(chunk -> waits.asked(chunk.hash()));
    }
    if (message instanceof WorkerMessage.WorkerApplied report) {
      recording.open().reporting(id.name(), report);
    } else if (message instanceof WorkerMessage.SubmitIntent submit) {
      recording.mutations().sent(submit.agent(), submit.intent(), agent.visible().index());
      log.sent(submit.intent(), submit.context());
      payloads.sent(submit.intent());
    }
  }

  /** Who is told what the leader says besides the log. */
  private final class ToldPeople implements Surroundings {
    @Override
    public LocalPressure pressure() {
      return LocalPressure.NOT_KNOWN;
    }

    @Override
    public void locksExpire(LockExpiryWarning warning, FsState visible) {}

    @Override
    public void noticed(Notice notice) {
      noticeChecker.told(agent().notices().session(), notice);
    }
  }

  private void note(LeaderMessage message) {
    record.heard();
    switch (message) {
      case LeaderMessage.Welcome welcome -> {
        record.received(welcome.commitIndex());
        collectedThrough = welcome.collectedThrough();
        replica.collectedThrough(collectedThrough);
        payloads.agreed(welcome.params().features().has(Feature.KEPT_PAYLOADS));
      }
      case LeaderMessage.Heartbeat(_, long index, _, _) -> record.received(index);
      case LeaderMessage.BarrierResponse(_, long index) -> record.received(index);
      case LeaderMessage.LogEntries(long index, _, _) -> record.received(index);
      case LeaderMessage.LockResponse lock -> record.received(lock.commitIndex());
      case LeaderMessage.CommitAck ack -> {
        record.received(ack.asOfIndex());
        if (ack.errno() == Errno.EAGAIN) {
          record.busy();
        }
      }
      case LeaderMessage.RateLimited _ -> record.busy();
      case LeaderMessage.SnapshotOffer offer -> record.received(offer.index());
      case LeaderMessage.Refused refused ->
          isDiverged |= refused.reason() == LeaderMessage.Refused.Reason.DIVERGED;
      case LeaderMessage.MulticastGroup _,
          LeaderMessage.SessionRenewed _,
          LeaderMessage.Revocations _,
          LeaderMessage.VisibilityLease _,
          LeaderMessage.Notice _,
          LeaderMessage.IntentStatusResponse _,
          LeaderMessage.ChunkNeed _,
          LeaderMessage.ChunkWanted _,
          LeaderMessage.PastState _,
          LeaderMessage.PastStateRefused _,
          LeaderMessage.ChunkData _,
          LeaderMessage.ChunkUnavailable _,
          LeaderMessage.LockExpiryWarning _ -> {
        // says nothing of what is committed
      }
    }
  }

  /** Symbols should be enough for a chunk. */
  void decoding(ReceivedBlock block, boolean isDone) {
    DataPlaneChecker.decoding(block);
    int source = block.block().sourceSymbols();
    if (!isDone) {
      disk.count(SnapshotDisk.NOT_DECODED);
    } else if (block.symbols().stream().anyMatch(symbol -> symbol.id() >= source)) {
      disk.count(SnapshotDisk.REPAIRED);
    }
  }

  /** A chunk was made of symbols, and is about to be stored. */
  void decoded(Hash chunk, byte[] bytes) {
    DataPlaneChecker.decoded(chunk, bytes);
    replica.found(chunk);
  }

  private void take(LeaderMessage message) {
    if (message instanceof LeaderMessage.ChunkData(var hash, byte[] bytes)) {
      if (!Blake3.hash(bytes).equals(hash)) {
        throw new Violation("the leader has served a damaged chunk " + hash);
      }
      replica.found(hash);
      chunks.ingest(hash, bytes);
    } else {
      if (message instanceof LeaderMessage.ChunkUnavailable unavailable) {
        waits.asked(unavailable.hash());
        if (unavailable.errno() != Errno.EAGAIN) {
          replica.lost(unavailable.hash());
        }
      }
      if (message instanceof LeaderMessage.LogEntries(_, List<byte[]> entries, var delivery)) {
        if (payloads.taking(entries) > 0) {
          disk.count(SnapshotDisk.WITHOUT_PAYLOAD);
        }
        if (delivery != ChunkDelivery.ON_REQUEST) {
          waits.received(entries(entries), delivery, store::contains);
        }
      }
      agent.received(message);
      payloads.taken();
    }
  }

  /** Those that are behind what was collected. */
  private List<LogEntry> entries(List<byte[]> received) {
    List<LogEntry> entries = new ArrayList<>();
    for (byte[] bytes : received) {
      try {
        LogEntry entry = LogEntryCodec.decodeSent(bytes);
        if (entry.index() > collectedThrough && !LogEntryCodec.isWithoutPayload(bytes)) {
          entries.add(entry);
        }
      } catch (DecodeException e) {
        throw new Violation("the leader has sent what is no entry: " + e.getMessage());
      }
    }
    return entries;
  }

  /** Whether it is in the leader's process. */
  public boolean isBesideLeader() {
    return process != null;
  }

  /** What the connection within the leader's process does. */
  private final class Side implements WorkerSide {
    @Override
    public boolean isAlive() {
      return host.isAlive();
    }

    @Override
    public void linkUp() {
      agent.linkUp();
      host.wake();
    }

    @Override
    public void linkDown(String reason) {
      SimWorker.this.disconnected();
      interrupted();
      agent.linkDown(reason);
      host.wake();
    }

    @Override
    public void sending(WorkerMessage message) {
      SimWorker.this.sending(message);
    }

    @Override
    public void disconnected() {
      SimWorker.this.disconnected();
    }

    @Override
    public void received(LeaderMessage message) {
      silence.heard();
      note(message);
      take(message);
    }

    @Override
    public void work() {
      host.workNow();
    }
  }

  /** Follows what has become visible. */
  private final class Shown implements ApplyListener {
    @Override
    public void applied(LogEntry entry, FsState before, FsState after) {
      replica.applied(entry);
      files.applied(entry, log);
      vfs.shown(entry, after);
      if (entry.op() instanceof FsOp.RestoreState) {
        disk.count(SnapshotDisk.RESTORED_ALL);
      }
      older.next(after);
    }

    @Override
    public void replaced(IndexedState before, IndexedState after) {
      replica.replaced(before.index(), after.index());
      long known = before.index();
      LogChecker arriving = next;
      if (arriving != null) { // what was shown before is lost
        follow(arriving, after.index());
        files = new NaiveFiles(recording.bytes().byHash());
        known = 0;
      }
      for (long k = known + 1; k <= after.index(); k++) {
        files.applied(log.entry(k), log);
      }
      older.next(after.state());
      disk.count(SnapshotDisk.JUMPED);
    }
  }
}
