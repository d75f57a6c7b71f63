package io.hypersync.worker;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.invariant.Invariant;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.OrphanChanges;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.Agent;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.agent.Entropy;
import io.hypersync.runtime.log.LogEvent;
import io.hypersync.runtime.progress.Progress;
import io.hypersync.runtime.progress.ProgressMeter;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.schedule.SnapshotManager;
import io.hypersync.wire.message.ChunkDelivery;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.message.Feature;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.LeaderMessage.Refused;
import io.hypersync.wire.message.LeaderMessage.Welcome;
import io.hypersync.wire.message.NegotiatedParams;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.Revocation;
import io.hypersync.wire.message.SeenState;
import io.hypersync.wire.message.StandbyStanding;
import io.hypersync.wire.message.WorkerMessage.ApplyError;
import io.hypersync.wire.message.WorkerMessage.ChunkAbsent;
import io.hypersync.wire.message.WorkerMessage.ChunkCopy;
import io.hypersync.wire.message.WorkerMessage.ChunkFetch;
import io.hypersync.wire.message.WorkerMessage.MulticastHeard;
import io.hypersync.wire.message.WorkerMessage.RevocationsKept;
import io.hypersync.wire.message.WorkerMessage.WorkerApplied;
import io.hypersync.worker.backfill.Backfill;
import io.hypersync.worker.cache.ChunkCache;
import io.hypersync.worker.coherence.KernelCaches;
import io.hypersync.worker.coherence.RemovedNames;
import io.hypersync.worker.coherence.View;
import io.hypersync.worker.coherence.VisibilityGate;
import io.hypersync.worker.dataplane.MulticastReports;
import io.hypersync.worker.dataplane.PushedChunks;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.incarnation.MountMemory;
import io.hypersync.worker.install.BegunInstall;
import io.hypersync.worker.install.InstallException;
import io.hypersync.worker.install.OfferedInstall;
import io.hypersync.worker.install.SnapshotInstall;
import io.hypersync.worker.intents.FinishedMutation;
import io.hypersync.worker.intents.IntentTracker;
import io.hypersync.worker.intents.InterruptHandler;
import io.hypersync.worker.intents.LeaderAbsence;
import io.hypersync.worker.intents.Mutation;
import io.hypersync.worker.intents.MutationGate;
import io.hypersync.worker.intents.MutationTimestamps;
import io.hypersync.worker.intents.WaitingCall;
import io.hypersync.worker.lease.KernelReferences;
import io.hypersync.worker.lease.OpenLeaseClient;
import io.hypersync.worker.link.LeaderSession;
import io.hypersync.worker.link.LinkMonitor;
import io.hypersync.worker.link.ReadBarrier;
import io.hypersync.worker.link.VisibilityLease;
import io.hypersync.worker.link.VisibilityReports;
import io.hypersync.worker.lock.HeldLocks;
import io.hypersync.worker.lock.LockCall;
import io.hypersync.worker.lock.LockClient;
import io.hypersync.worker.notice.Notices;
import io.hypersync.worker.past.PastStates;
import io.hypersync.worker.port.ApplyListener;
import io.hypersync.worker.port.CacheNotifier;
import io.hypersync.worker.port.CacheReport;
import io.hypersync.worker.port.EntryMirror;
import io.hypersync.worker.port.InstallPort;
import io.hypersync.worker.port.LeaderLink;
import io.hypersync.worker.port.Signals;
import io.hypersync.worker.port.Surroundings;
import io.hypersync.worker.port.WorkerChunks;
import io.hypersync.worker.replica.ArrivalTimestamps;
import io.hypersync.worker.replica.ChunkRepairs;
import io.hypersync.worker.replica.IndexCallbacks;
import io.hypersync.worker.replica.IndexedState;
import io.hypersync.worker.replica.OrphanSet;
import io.hypersync.worker.replica.PayloadGoneException;
import io.hypersync.worker.replica.Replica;
import io.hypersync.worker.replica.SyncLag;
import io.hypersync.worker.seen.NewestSeen;
import io.hypersync.worker.snapshot.WorkerSnapshots;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The worker's decision code, apart from serving reads: the link to the leader, mutations in
 * flight, locks, open-leases, the replica and what becomes visible.
 *
 * <p>Single-threaded: every method is called on the thread that calls {@link #doWork}, except
 * {@link #view}, {@link #visible}, {@link #isWritable}, {@link #isFresh}, {@link #leaderFreeBytes},
 * {@link #params} and {@link #heldLocks}, which any thread may call.
 */
public final class WorkerAgent implements Agent {
  private static final Logger LOG = LoggerFactory.getLogger(WorkerAgent.class);
  private static final int APPLY_SLICE = 256;
  private static final int REPORT_EVERY_ENTRIES = 256;

  /** How often an entry is tried again that needs a page which cannot be read. */
  private static final long PAGE_RETRY_NS = 1_000_000_000L;

  /** Least time between two log lines about lost chunks. */
  private static final long LOST_LOG_NS = 60_000_000_000L;

  /** How many chunks are read for the leader at a time. */
  private static final int MAX_COPIES = 64;

  /** On a disk that is as full as this nothing is fetched that nobody waits for. */
  private static final int BACKFILL_DISK_PERCENT = 90;

  /**
   * A reader waits for a chunk for this part of the deadline of mutations: the kernel may wait for
   * the reader, and mutations for the kernel.
   */
  private static final int READS_PER_DEADLINE = 3;

  /** So many collections may end because one page of a snapshot cannot be had. */
  private static final int MAX_PAGE_LOSSES = 3;

  /** Most entries applied ahead of the visible index; beyond that, the replica applies nothing. */
  private static final int MAX_INVISIBLE = 4_096;

  /** Pause between attempts to store entries and chunks that failed because the disk was full. */
  private static final long STORE_AGAIN_NS = 1_000_000_000L;

  private final WorkerConfig config;
  private final LeaderLink link;
  private final Surroundings surroundings;
  private final Clock clock;
  private final LeaderSession session;
  private final Replica replica;
  private final ArrivalTimestamps arrivals = new ArrivalTimestamps();
  private final SyncLag syncLag;
  private final ProgressMeter catchUp = new ProgressMeter();
  private final IntentTracker intents;
  private final RemovedNames removedNames;
  private final VisibilityGate visibilityGate;
  private final ReadBarrier readBarrier;
  private final VisibilityLease lease = new VisibilityLease();
  private final VisibilityReports visibilityReports;
  private final LeaderAbsence absence;
  private final MutationGate gate;
  private final InterruptHandler interruptHandler;
  private final IndexCallbacks whenVisible = new IndexCallbacks();
  private final HeldLocks heldLocks = new HeldLocks();
  private final LockClient locks;
  private final OpenLeaseClient leases;

  /** The snapshot that what is shown is to jump to, as soon as it can; null if there is none. */
  private @Nullable Snapshot jump;

  private long nextJumpNs;

  private final BegunInstall begun;
  private final OfferedInstall offered;
  private OrphanSet orphans;
  private final ChunkRepairs repairs;
  private final PastStates pasts;
  private final WorkerSnapshots snapshots;
  private final ChunkCache cache;
  private final InstallPort installPort;
  private final Backfill backfill;
  private final PushedChunks pushed;
  private final MulticastReports multicast;
  private final WorkerChunks chunks;

  private final NewestSeen seen = new NewestSeen();
  private EntryMirror mirror = EntryMirror.NONE;

  /** So many chunks that were fetched in the background are on a standby's disk; -1 before. */
  private long fetchedAndSynced = -1;

  /** What a collection must keep. */
  private final ChunkCache.Source needed =
      new ChunkCache.Source() {
        @Override
        public IndexedState visible() {
          return visibilityGate.view().visible();
        }

        @Override
        public long stateBytes() {
          return replica.bytes();
        }

        @Override
        public void mentioned(Consumer<Hash> chunk) {
          Consumer<LogEntry> chunks =
              entry -> entry.op().chunks().forEach(mentioned -> chunk.accept(mentioned.hash()));
          visibilityGate.forEachWaiting(chunks);
          replica.forEachWaiting(chunks);
          intents.forEachChunk(chunk); // else they would have to be fetched again
        }

        @Override
        public List<byte[]> pasts() {
          List<byte[]> all = new ArrayList<>(pasts.manifests());
          all.addAll(begun.unsaved());
          return all;
        }
      };

  private long chunksLost;

  /** When an entry that waits for a page is next tried again. */
  private long nextPageNs;

  /** When an unreadable page is next logged. */
  private long nextUnreadableNs;

  /** Whether an entry that restores a state was applied, and is not known to be durable. */
  private volatile boolean restoresNotDurable;

  /** Whether an entry that restores a state is being applied, whose pages may not be here. */
  private volatile boolean isRestoring;

  private long nextLostNs;

  /** Chunks that the leader could not send just now. */
  private final Set<Hash> askAgain = new HashSet<>();

  /** Requests whose mutations must not be submitted any more; see {@link #giveUp}. */
  private Set<RequestId> overtaken = Set.of();

  /** Chunks that are being read for the leader. */
  private final Set<Hash> copies = new HashSet<>();

  /** Whether the worker has ever been live: from then on it may be mounted. */
  private boolean wasLive;

  /** Whether this worker has ended with a snapshot, from which another one is to begin. */
  private boolean hasSnapshot;

  private long reportedIndex;

  /** What a leader that waits for this standby was told last. */
  private long reportedSynced;

  private long nextReportNs;
  private long nextStoreNs;
  private long fsyncsElided;
  private volatile boolean writable;

  /** Whether it could be writable but for a lease. */
  private volatile boolean live;

  /**
   * Whether the kernel may still have cached what an earlier process has told it. Until all of that
   * is taken out nothing is reported as shown here, so no lease comes that such caches would break.
   */
  private volatile boolean kernelIsOld;

  /** The apply error that was logged last; null if apply was not stopped then. */
  private @Nullable ApplyError reportedError;

  private boolean stopping;

  /**
   * A worker whose replica begins with a snapshot, or empty.
   *
   * @param start what the replica begins with
   * @param snapshots of the replica, for the next start
   * @param cache removes chunks that the worker does not need
   * @param installPort for a snapshot that the leader offers
   * @param caches what the kernel may have cached
   * @param references the nodes that the kernel has open, for the open-leases
   * @param notifier sends invalidations to the kernel
   * @param signals checks whether a caller with a pending signal is about to end
   * @param listener called for every entry when it becomes visible
   * @param surroundings the host: its load, and warnings for its operator
   * @param finished called for every mutation that the leader has answered, after its caller has
   *     its reply
   */
  public WorkerAgent(
      WorkerConfig config,
      WorkerStart start,
      WorkerSnapshots snapshots,
      ChunkCache cache,
      InstallPort installPort,
      LeaderLink link,
      WorkerChunks chunks,
      KernelCaches caches,
      KernelReferences references,
      CacheNotifier notifier,
      Signals signals,
      ApplyListener listener,
      Surroundings surroundings,
      Clock clock,
      Entropy entropy,
      Consumer<FinishedMutation> finished) {
    this.config = config;
    this.link = link;
    this.surroundings = surroundings;
    this.clock = clock;
    this.syncLag = new SyncLag(clock.monotonicNs());
    this.session = new LeaderSession(config, link, this::sessionLost, clock.monotonicNs());
    this.intents = new IntentTracker(link, entropy, config.mutationDeadlineNs(), finished);
    ClientId run = new ClientId(entropy.nextLong(), entropy.nextLong());
    this.locks = new LockClient(run, link, whenVisible, heldLocks, config.mutationDeadlineNs());
    this.readBarrier = new ReadBarrier(link, config.leaderStaleNs());
    this.visibilityReports = new VisibilityReports(link, lease);
    this.absence = new LeaderAbsence(config.partitionGraceNs());
    this.gate = new MutationGate(intents, readBarrier, clock, config.mutationDeadlineNs(), absence);
    gate.whenOver(this::submit);
    this.interruptHandler = new InterruptHandler(gate, signals);
    this.leases = new OpenLeaseClient(link, references, notifier::prune);
    Manifest first = start.manifest();
    this.removedNames = new RemovedNames(config.worker());
    this.replica =
        new Replica(
            chunks, new Applied(), first, config.maxStateBytes(), start.memory(), start.restored());
    replica.takePayloadsFrom(intents::payload);
    this.orphans = new OrphanSet(first.state());
    this.snapshots = snapshots;
    this.cache = cache;
    this.installPort = installPort;
    this.chunks = chunks;
    this.pushed = new PushedChunks(link, chunks, this::fetch);
    this.multicast = new MulticastReports(link);
    this.backfill = new Backfill(this::isHere);
    if (first.index() > 0) {
      backfill.begin(); // the run before may have ended before all chunks were here
    }
    this.pasts = new PastStates(link, run.low());
    this.repairs = new ChunkRepairs(config.mutationDeadlineNs() / READS_PER_DEADLINE);
    this.begun =
        new BegunInstall(
            start.received(), pasts, installPort, session::isEstablished, clock, this::pagesOf);
    this.offered =
        new OfferedInstall(installPort, clock, this::pagesOf, config.mutationDeadlineNs());
    this.visibilityGate =
        new VisibilityGate(
            replica.applied(), caches, notifier, gate, new Shown(listener), this::becameVisible);
  }

  /**
   * Keeps in this memory what another process needs that serves the mount after this one. To be
   * called before this agent's thread begins.
   *
   * @param isSuccessor whether another process has served the mount before this one: then this one
   *     goes on with its locks, and with the requests that it has not answered
   */
  public void keep(MountMemory memory, boolean isSuccessor) {
    intents.identifyBy(memory.mountId());
    locks.keep(memory, isSuccessor);
    if (isSuccessor) {
      kernelIsOld = true;
      IndexedState start = visible();
      intents.goOn(config.worker(), start.index(), () -> visible().state());
      leases.replaced(FsState.genesis(start.state().version()), start.state(), clock.monotonicNs());
    }
  }

  /** Follows what is applied. */
  private final class Applied implements Replica.Listener {
    @Override
    public void applying(LogEntry entry) {
      boolean restores = entry.op() instanceof FsOp.RestoreState;
      if (restores != isRestoring) {
        isRestoring = restores;
      }
    }

    @Override
    public Runnable applied(LogEntry entry, IndexedState before, IndexedState after) {
      return WorkerAgent.this.applied(entry, before, after);
    }
  }

  /** Follows what has become visible. */
  private final class Shown implements ApplyListener {
    private final ApplyListener next;

    Shown(ApplyListener next) {
      this.next = next;
    }

    @Override
    public void applied(LogEntry entry, FsState before, FsState after) {
      long now = clock.monotonicNs();
      leases.applied(entry, before, after, now);
      removedNames.applied(entry, before, now);
      if (!entry.origin().equals(config.worker())) {
        visibilityReports.foreign(entry.index());
      }
      orphans.applied(entry, before, after);
      mirror.applied(entry);
      if (entry.op() instanceof FsOp.RestoreState) {
        backfill.begin(); // it looks at what is visible
      }
      next.applied(entry, before, after);
    }

    @Override
    public void replaced(IndexedState before, IndexedState after) {
      long now = clock.monotonicNs();
      leases.replaced(before.state(), after.state(), now);
      removedNames.replaced(now);
      orphans = new OrphanSet(after.state());
      mirror.replaced(after.index());
      next.replaced(before, after);
    }
  }

  /** The view that the kernel's requests are answered from; any thread. */
  public View view() {
    return visibilityGate.view();
  }

  /** See {@link LeaderSession#resumeToken}; on the agent's thread. */
  public String resumeToken() {
    return session.resumeToken();
  }

  /** See {@link LeaderSession#takeUp}. To be called before this agent's thread begins. */
  public void takeUp(String token) {
    session.takeUp(token);
  }

  /** What an earlier run has shown. Before the first connection. */
  public void remember(SeenState earlier) {
    seen.remember(earlier);
  }

  /** Has all that becomes visible kept: this is a standby. Before the first connection. */
  public void mirrorTo(EntryMirror standby) {
    mirror = standby;
    session.offer(Feature.SYNC_STANDBY);
  }

  /**
   * Whether all chunks of the visible state are here, as far as is known; on the agent's thread.
   */
  public boolean hasAllChunks() {
    return isWhole() && !backfill.isWanted();
  }

  /** The newest state that was ever shown here; on the agent's thread. */
  public SeenState seen() {
    IndexedState now = visible();
    return seen.at(now.index(), now.root());
  }

  /** S_v, the state that processes see; any thread. */
  public IndexedState visible() {
    return visibilityGate.view().visible();
  }

  /**
   * Whether mutations are accepted now; any thread. If not, they fail with EROFS (6.4). If {@code
   * visibility} is everywhere, all that is acknowledged anywhere is visible here while this is
   * true.
   */
  public boolean isWritable() {
    return writable && (!lease.isNeeded() || lease.isHeld(clock.monotonicNs()));
  }

  /**
   * Whether the mount of an earlier process can be gone on with: in touch with the leader and
   * caught up. Where {@link #needsLease} there is no lease yet, and changes wait for it. Any
   * thread.
   */
  public boolean mayInherit() {
    return kernelIsOld && live;
  }

  /** The kernel has nothing cached any more that an earlier process has told it. */
  public void kernelRenewed() {
    kernelIsOld = false;
  }

  /** Whether all that is acknowledged is to be visible everywhere, and here; any thread. */
  public boolean needsLease() {
    return lease.isNeeded();
  }

  /** Whether it holds a lease that it needs; false if it needs none. Any thread. */
  public boolean holdsLease() {
    return lease.isNeeded() && lease.isHeld(clock.monotonicNs());
  }

  /** The newest entry of which all that this host's processes see is right; any thread. */
  public long settled() {
    return visibilityGate.settled();
  }

  /**
   * Free space of the leader's disk in bytes, as of its last heartbeat; {@link
   * LeaderMessage.Heartbeat#UNKNOWN} if no heartbeat has reported it. Any thread.
   */
  public long leaderFreeBytes() {
    return session.leaderFreeBytes();
  }

  /** The parameters for sending, from the last valid Welcome; any thread. */
  public NegotiatedParams params() {
    return session.params();
  }

  /** How many visible nodes have a name; on the agent's thread. */
  public int namedNodes() {
    return visible().state().nodes().size() - orphans.size();
  }

  /** How many orphans the state still holds; on the agent's thread. */
  public int orphans() {
    return orphans.size();
  }

  /**
   * Whether new mutations wait for a leader that was lost a moment ago ({@code partition_grace});
   * any thread.
   */
  public boolean isAwaitingLeader() {
    return absence.isRunning()
        // The lease is just over, which the agent finds out in its next turn.
        || (absence.graceNs() > 0 && writable && !isWritable());
  }

  /**
   * Makes the call ready when mutations are accepted again, or when the leader is not waited for
   * any more; perhaps at once.
   *
   * @param refused run instead, at once, if it cannot wait
   */
  public void whenWritable(WaitingCall call, Runnable refused) {
    updateWritable(); // a lease may have ended since
    if (isWritable()) {
      call.ready().run();
    } else if (!absence.await(call, 0)) {
      refused.run();
    }
  }

  /**
   * Submits a mutation of a process. If the worker is read-only it fails with EROFS, at once or
   * after {@code partition_grace}.
   */
  public void submit(Mutation mutation) {
    if (!isWritable()) {
      updateWritable();
      gate.strand(mutation);
      return;
    }
    if (overtaken.contains(mutation.unique())) {
      mutation.completion().failed(Errno.EIO);
      return;
    }
    Invariant.NO_MUTATION_WITHOUT_LEADER.check(session.isLive());
    gate.submit(mutation, visibilityGate.settled());
  }

  /**
   * Ends with EIO what this worker has not seen committed of changes to these nodes. To be called
   * when the lease under which they were made is lost.
   *
   * @param onTheirWay numbers of requests that may come here only after this: they end so, too
   */
  public void giveUp(Set<NodeId> nodes, Set<RequestId> onTheirWay) {
    overtaken = Set.copyOf(onTheirWay); // the kernel never uses a number again
    gate.giveUp(nodes);
  }

  /**
   * Whether the barrier is passed already: everything known to be committed is visible here, and
   * the leader was heard lately; any thread.
   */
  public boolean isFresh() {
    return readBarrier.isFresh(visibilityGate.settled(), clock.monotonicNs());
  }

  /**
   * Makes the call ready when everything known to be committed is visible here (6.2, strict_open),
   * or at once when the leader is unreachable: reads continue then (6.4).
   */
  public void whenFresh(WaitingCall call) {
    readBarrier.whenFresh(visibilityGate.settled(), clock.monotonicNs(), regardless(call));
  }

  /**
   * Like {@link #whenFresh}, but asks the leader for its commit index first (5.3, strict_reads).
   */
  public void whenCurrent(WaitingCall call) {
    readBarrier.whenCurrent(regardless(call));
  }

  /** Whether another worker may lately have removed a path to this node; on the agent's thread. */
  public boolean hasLostName(NodeId node) {
    return removedNames.hasLost(node, clock.monotonicNs());
  }

  /** Runs {@code ready} once the kernel has completed the invalidations of this entry. */
  public void whenSettled(long index, Runnable ready) {
    whenVisible.when(index, ready);
  }

  /** The kernel has completed the invalidations of this ticket. */
  public void dropped(long ticket) {
    visibilityGate.dropped(ticket);
  }

  /** A process delays the invalidation of this ticket inside the kernel. */
  public void heldUp(long ticket) {
    visibilityGate.heldUp(ticket);
  }

  /** fsync: the call is ready once all earlier mutations of this node have ended (6.5). */
  public void fsync(NodeId node, WaitingCall call) {
    if (gate.fsync(node, call)) {
      fsyncsElided++;
    }
  }

  /** The locks that this mount may hold; any thread. */
  public HeldLocks heldLocks() {
    return heldLocks;
  }

  /** Submits a flock or fcntl request of a process. */
  public void lock(LockCall call) {
    locks.submit(call, clock.monotonicNs());
  }

  /** The lock client of this mount; on the agent's thread. */
  public LockClient locks() {
    return locks;
  }

  /**
   * The caller of a request has received a signal. If the signal ends the caller, and the request
   * waits for something other than the leader's decision on it, the request stops waiting.
   *
   * @param unique the kernel's number of the request
   * @param pid the thread that made the request
   */
  public void interrupted(RequestId unique, int pid) {
    interruptHandler.interrupted(unique, pid, clock.monotonicNs());
  }

  /**
   * The connection is up: sends Hello, and drops every entry that is not both applied and known to
   * be durable, since it will be sent again.
   */
  public void linkUp() {
    if (hasSnapshot) {
      link.disconnect();
      return;
    }
    replica.forgetNotDurable();
    restoresNotDurable = false;
    isRestoring = false;
    arrivals.clear();
    IndexedState now = replica.applied();
    readBarrier.begins(now.index());
    lease.begins(clock.monotonicNs());
    visibilityReports.begins(clock.monotonicNs());
    session.sendHello(now.index(), now.root(), locks.run(), seen(), clock.monotonicNs());
  }

  /** The connection is lost or could not be made; another attempt follows after a pause. */
  public void linkDown(String why) {
    session.down(why, clock.monotonicNs());
  }

  /** The next attempt to connect is due, whatever pause was to be made. */
  public void connectSoon() {
    session.monitor().connectSoon(clock.monotonicNs());
  }

  /** The leader's certificate, protocol or workspace is another one: no further attempt is made. */
  public void linkRefused(String why) {
    session.refusedForGood(why, clock.monotonicNs());
  }

  private void sessionLost() {
    lease.lost(clock.monotonicNs());
    offered.leaderLost();
    begun.leaderLost();
    catchUp.clear();
    cache.leaderLost(clock.monotonicNs());
    backfill.leaderLost();
    copies.clear();
    askAgain.clear();
    pushed.leaderLost();
    multicast.leaderLost();
    locks.linkDown();
    repairs.leaderLost();
    pasts.leaderLost();
    updateWritable();
  }

  /** Handles a message of the leader, in the order of arrival. */
  public void received(LeaderMessage message) {
    long now = clock.monotonicNs();
    session.heard(now);
    readBarrier.heard(now);
    switch (message) {
      case Welcome welcome -> welcomed(welcome, now);
      case Refused refused -> {
        session.refused(refused, now);
        if (refused.reason() == Refused.Reason.DIVERGED) {
          snapshots.distrust("the leader has another history", now);
        }
        updateWritable();
      }
      case LeaderMessage.SnapshotOffer offer -> offered(offer, now);
      case LeaderMessage.Heartbeat(_, long index, long freeBytes, StandbyStanding standing) -> {
        readBarrier.observed(index);
        session.freeBytes(freeBytes);
        mirror.standing(standing);
      }
      case LeaderMessage.BarrierResponse(long request, long index) ->
          readBarrier.answered(request, index, visibilityGate.settled());
      case LeaderMessage.LogEntries(long index, List<byte[]> entries, ChunkDelivery delivery) -> {
        readBarrier.observed(index);
        take(entries, delivery, now);
      }
      case LeaderMessage.CommitAck ack -> {
        readBarrier.observed(ack.asOfIndex());
        arrivals.add(durablyReceived(), now);
        intents.acknowledged(ack, visibilityGate.settled(), now);
      }
      case LeaderMessage.RateLimited limited -> intents.rateLimited(limited, now);
      case LeaderMessage.IntentStatusResponse response ->
          intents.status(response, visibilityGate.settled());
      case LeaderMessage.LockResponse response -> {
        readBarrier.observed(response.commitIndex());
        locks.answered(response);
      }
      case LeaderMessage.LockExpiryWarning warning -> {
        locks.warned(warning, now);
        surroundings.locksExpire(warning, visible().state());
      }
      case LeaderMessage.ChunkNeed need -> intents.chunksNeeded(need);
      case LeaderMessage.ChunkWanted(List<Hash> wanted) -> chunksWanted(wanted);
      case LeaderMessage.PastState state -> pasts.found(state);
      case LeaderMessage.PastStateRefused refused -> pasts.refused(refused);
      case LeaderMessage.MulticastGroup group -> {
        if (config.features().has(Feature.MULTICAST)) {
          multicast.join(group);
        }
      }
      case LeaderMessage.Revocations(List<Revocation> all) -> {
        if (keepsRevoked(all)) {
          link.send(new RevocationsKept(all.size()));
        }
      }
      case LeaderMessage.SessionRenewed(String token) -> session.renewed(token);
      case LeaderMessage.VisibilityLease word -> {
        // Nothing is seen on a standby, so nobody waits for it.
        if (mirror.equals(EntryMirror.NONE)) {
          lease.told(word, session.isLive(), now);
        }
      }
      case LeaderMessage.Notice notice -> {
        if (session.notices().take(notice)) {
          surroundings.noticed(notice);
        }
      }
      case LeaderMessage.ChunkData _ ->
          throw new IllegalStateException("chunk bytes go to the chunk ingest, not to the agent");
      case LeaderMessage.ChunkUnavailable(Hash hash, Errno errno, String text) ->
          chunkUnavailable(hash, errno, "the leader cannot read it: " + text);
    }
  }

  /**
   * What cannot be kept ends no standby: the leader is not told that it is, so those who revoke see
   * that this one is not to be promoted yet. The leader says it again at the next connection.
   */
  private boolean keepsRevoked(List<Revocation> all) {
    try {
      return mirror.revoked(all);
    } catch (UserError e) {
      LOG.error(
          "which certificates are revoked is not kept here, so do not promote this standby: {}. {}",
          e.getMessage(),
          e.hint());
      return false;
    }
  }

  /** A symbol of a chunk has arrived, which nobody has asked for. */
  public void received(ChunkSymbol symbol) {
    pushed.received(symbol, clock.monotonicNs());
  }

  /** Packets of those that the leader sends to all workers have come: so many since the begin. */
  public void heard(MulticastHeard counts) {
    multicast.heard(counts);
  }

  /**
   * The symbols of a chunk were not enough, or the result does not match its hash. It is asked for
   * even before the Welcome, which entries and chunks may have overtaken: nobody would ask later.
   * What a new connection has cleared is not waited for.
   */
  public void chunkNotDecoded(ChunkRef chunk) {
    pushed.notDecoded(chunk, replica.isWaitingFor(chunk.hash()));
  }

  /** What has come unasked; for reports, on the agent's thread. */
  public PushedChunks pushed() {
    return pushed;
  }

  /** A chunk was stored, or read and compared with its hash, just now. */
  public void chunkStored(Hash hash) {
    pushed.stored(hash, clock.monotonicNs());
    replica.chunkStored(hash);
    repairs.stored(hash);
    backfill.stored(hash);
    offered.stored(hash);
    begun.stored(hash);
  }

  /** A chunk that the leader sent cannot be stored. */
  public void chunkFailed(Hash hash, Errno errno, String why) {
    pushed.notStored(hash);
    replica.chunkFailed(hash, errno, "chunk " + hash + ": " + why);
    repairs.failed(hash, Errno.EIO);
    backfill.failed(hash);
    if (errno == Errno.ENOSPC) {
      backfill.pause(clock.monotonicNs());
    }
    pageFailed(hash, "cannot be stored: " + why);
    stopIfApplyFailed();
  }

  /**
   * A chunk that an entry needs is stored here but damaged: fetches it from the leader; before the
   * Welcome, too, as in {@link #chunkNotDecoded}.
   */
  public void chunkDamaged(ChunkRef chunk) {
    if (replica.chunkDamaged(chunk.hash())) {
      fetch(List.of(chunk));
    }
  }

  /**
   * Fetches chunks for a reader: the local store does not have them, or cannot read them any more.
   * Exactly one of the two callbacks runs, once, on the agent's thread.
   *
   * @param wanted different ones
   * @param ready run when all of them are stored
   * @param failed run with {@link Errno#EIO} if one of them cannot be fetched
   */
  public void fetchAgain(List<ChunkRef> wanted, Runnable ready, Consumer<Errno> failed) {
    if (!session.isEstablished() || stopping) {
      failed.accept(Errno.EIO);
      return;
    }
    repairs.add(wanted, ready, failed, clock.monotonicNs(), this::fetch);
  }

  /**
   * The leader cannot send a chunk: with EAGAIN, for now; else because no connected worker has it
   * either.
   */
  private void chunkUnavailable(Hash hash, Errno errno, String why) {
    backfill.failed(hash);
    if (errno == Errno.EAGAIN) {
      askAgain.add(hash);
      return;
    }
    repairs.failed(hash, Errno.EIO);
    if (replica.chunkLost(hash)) {
      chunksLost++;
      if (chunksLost == 1 || clock.monotonicNs() - nextLostNs >= 0) {
        nextLostNs = clock.monotonicNs() + LOST_LOG_NS;
        LOG.error(
            LogEvent.CONTENT_LOST.marker(),
            "{} chunks are lost, reads of them fail; the last: {}, {}",
            chunksLost,
            hash,
            why);
      }
      backfill.missing(); // it may come back
    }
    if (offered.isWaitingFor(hash)) {
      refuseOffer("page " + hash + ": " + why);
    }
    begun.lost(hash, why);
  }

  /** Asks again for what somebody here still waits for. */
  private void fetchAgain() {
    List<ChunkRef> again = new ArrayList<>();
    for (Hash hash : askAgain) {
      if (replica.isWaitingFor(hash)
          || repairs.isWaitingFor(hash)
          || offered.isWaitingFor(hash)
          || begun.isWaitingFor(hash)) {
        again.add(new ChunkRef(hash, ChunkRef.MAX_LENGTH)); // the leader goes by the hash
      }
    }
    askAgain.clear();
    fetch(again);
  }

  /** The leader has lost chunks, and asks for a few at a time. */
  private void chunksWanted(List<Hash> wanted) {
    List<Hash> absent = new ArrayList<>();
    for (Hash hash : wanted) {
      if (copies.size() < MAX_COPIES && mayBeHere(hash)) {
        if (copies.add(hash)) {
          chunks.read(hash);
        }
      } else {
        absent.add(hash);
      }
    }
    if (!absent.isEmpty()) {
      link.send(new ChunkAbsent(absent));
    }
  }

  private boolean mayBeHere(Hash hash) {
    try {
      return isHere(hash);
    } catch (ChunkStoreException e) {
      return false;
    }
  }

  /**
   * A chunk that the leader has lost was read.
   *
   * @param bytes null if it is not here, or damaged
   */
  public void chunkRead(Hash hash, byte @Nullable [] bytes) {
    if (copies.remove(hash) && session.isEstablished()) {
      link.send(bytes == null ? new ChunkAbsent(List.of(hash)) : new ChunkCopy(hash, bytes));
    }
  }

  /** A page has come, and cannot be stored. */
  private void pageFailed(Hash hash, String why) {
    if (offered.isWaitingFor(hash)) {
      refuseOffer("page " + hash + ": " + why);
    }
    begun.failed(hash, why);
  }

  /**
   * Another connection follows after a pause. It brings entries, if the leader has them, else
   * another offer; what is in the store by then is not fetched again.
   */
  private void refuseOffer(String why) {
    session.installFailed(why, clock.monotonicNs());
  }

  /** A snapshot instead of entries: this worker is far behind, or has just begun. */
  private void offered(LeaderMessage.SnapshotOffer offer, long nowNs) {
    long here = replica.applied().index();
    if (jump != null || (offered.isRunning() && offered.pages() == null)) {
      return; // what was offered before is about to be shown; then this worker connects anew
    }
    if (!session.isEstablished()
        || session.isLive()
        || offered.isRunning()
        || offer.index() <= here) {
      refuseOffer("it is of entry " + offer.index() + ", and entry " + here + " is here");
      return;
    }
    try {
      if (Manifest.version(offer.manifest()) != replica.applied().state().version()) {
        endFor(
            "the leader's log has another version of roots by now",
            "Start it again with an empty state directory.",
            nowNs);
        return;
      }
      offered.begin(offer, wasLive);
    } catch (DecodeException e) {
      refuseOffer(String.valueOf(e.getMessage()));
      return;
    } catch (InstallException e) {
      String why = String.valueOf(e.getMessage());
      if (e.lacksMemory()) {
        endFor(why, "Start it with as large a heap as the leader's: HYPERSYNC_JAVA_OPTS", nowNs);
      } else {
        refuseOffer(why);
      }
      return;
    } catch (ChunkStoreException e) {
      refuseOffer(String.valueOf(e.getMessage()));
      return;
    }
    if (!wasLive) {
      session.forgetLeader();
    }
    LOG.info("the leader offers its snapshot of entry {}, entry {} is here", offer.index(), here);
  }

  private SnapshotInstall pagesOf(LeaderMessage.SnapshotOffer offer, SnapshotInstall.Part part)
      throws InstallException {
    return new SnapshotInstall(
        offer,
        part,
        config.workspace(),
        replica.keepsEverything() ? config.maxStateBytes() : Long.MAX_VALUE,
        installPort,
        this::isHere,
        this::fetch);
  }

  private boolean isHere(Hash chunk) {
    return chunks.presence(chunk) != WorkerChunks.Presence.MISSING;
  }

  private void endFor(String why, String hint, long nowNs) {
    link.disconnect();
    session.refusedForGood(why, nowNs);
    updateWritable();
    installPort.end(why, hint);
  }

  /** Goes on with an offered snapshot; returns whether anything was done. */
  private boolean takeOffered(long nowNs) {
    if (begun.isBeingPublished()) {
      return false; // one after the other
    }
    try {
      OfferedInstall.Turn turn = offered.work(nowNs);
      if (turn == OfferedInstall.Turn.RECEIVED) {
        shutdown(); // nothing was shown yet: another worker begins with it
        hasSnapshot = true;
      }
      return turn != OfferedInstall.Turn.IDLE;
    } catch (InstallException | ChunkStoreException e) {
      refuseOffer(String.valueOf(e.getMessage()));
      return false;
    }
  }

  /** Fetches the rest of the snapshot that this worker has begun with. */
  private boolean installSome(long nowNs) {
    if (offered.isRunning() || jump != null) {
      return false; // a newer one is on its way
    }
    try {
      return begun.work(nowNs);
    } catch (InstallException e) {
      cannotInstall(e, nowNs);
      return false;
    }
  }

  /** What is shown here rests on a snapshot that cannot be had as a whole. */
  private void cannotInstall(InstallException why, long nowNs) {
    String anew = "Start it again: it takes the leader's newest snapshot.";
    endFor(
        "the state that is shown here cannot be fetched as a whole: " + why.getMessage(),
        why.lacksPage()
            ? "Where the leader runs, ./hypersync scrub --run says what is lost and what to do. "
                + anew
            : anew,
        nowNs);
  }

  /** A snapshot of the leader is in the catalog. */
  public void installed(Snapshot snapshot) {
    boolean wasOffered = offered.takePublished(snapshot);
    boolean wasBegun = !wasOffered && begun.published(snapshot);
    LOG.info(
        LogEvent.SNAPSHOT_INSTALLED.marker().with("index", snapshot.index()),
        "the snapshot of entry {} is installed",
        snapshot.index());
    if (wasBegun) {
      snapshots.manager().installed(snapshot);
    } else if (!wasOffered || snapshot.index() <= replica.applied().index() || session.isLive()) {
      snapshots.manager().added(snapshot); // this worker has gone on in another way meanwhile
    } else {
      jump = snapshot;
      nextJumpNs = clock.monotonicNs();
    }
  }

  /**
   * All its pages are here, and they are not those of its root: no other attempt gives another
   * result.
   */
  public void installRefuted(Snapshot snapshot, String why) {
    if (begun.isReceived(snapshot)) {
      cannotInstall(new InstallException(why), clock.monotonicNs());
    } else {
      installFailed(snapshot, why);
    }
  }

  /** It could not be put into the catalog: a full disk, or a page that is damaged by now. */
  public void installFailed(Snapshot snapshot, String why) {
    if (offered.takePublished(snapshot)) {
      refuseOffer(why);
    } else {
      begun.notPublished(snapshot, why);
    }
  }

  /**
   * What is shown jumps to the state of a snapshot that is in the catalog, all of it: this worker
   * was away for too long (hypersync.md 12.4). What its processes have asked for before is ended
   * with an unknown outcome. The next connection brings the entries behind the snapshot.
   */
  private boolean jumpIfWaiting(long nowNs) {
    Snapshot to = jump;
    if (to == null || nowNs - nextJumpNs < 0) {
      return false;
    }
    IndexedState here = replica.applied();
    if (to.index() <= here.index() || session.isLive()) {
      jump = null;
      snapshots.manager().added(to);
      return true;
    }
    Manifest manifest;
    try {
      manifest = installPort.begin(to);
      OrphanChanges.lookBetween(here.state(), manifest.state()); // it is followed when it is shown
    } catch (InstallException e) {
      cannotInstall(e, nowNs);
      return false;
    } catch (PageUnreadableException e) { // it is asked for
      nextJumpNs = nowNs + PAGE_RETRY_NS;
      return false;
    }
    jump = null;
    LOG.info("from entry {} to the snapshot of entry {}", here.index(), to.index());
    session.connectAnew("goes on from the leader's snapshot", nowNs);
    intents.giveUpAll();
    replica.beginAnew(manifest);
    arrivals.clear();
    syncLag.forget();
    begun.end();
    snapshots.manager().installed(to);
    visibilityGate.replaced(here, replica.applied());
    backfill.begin();
    return true;
  }

  /** None while pages of the newest state may not be here: it would name them. */
  private boolean takeSnapshots(long nowNs) {
    if (offered.isRunning() || jump != null) {
      return false;
    }
    return isInstalled() ? snapshots.tick(replica, nowNs) : snapshots.manager().measure(replica);
  }

  /** What fetches a snapshot of the leader; null if nothing does. On the agent's thread. */
  public @Nullable SnapshotInstall install() {
    SnapshotInstall newest = offered.pages();
    return newest == null ? begun.pages() : newest;
  }

  /** Which chunks this worker keeps; on the agent's thread. */
  public ChunkCache cache() {
    return cache;
  }

  /**
   * A collection has ended because a page of one of this worker's snapshots cannot be read: the
   * leader may have it. Pages that cannot be had make the snapshots worthless, and the next start
   * begins without them.
   */
  public void pageMissing(Hash page, String why) {
    cache.failed(why, clock.monotonicNs());
    fetchPage(
        page,
        why,
        () -> {
          var _ = cache.request();
        });
  }

  /** Pages that nobody has make the snapshots worthless. */
  private void fetchPage(Hash page, String why, Runnable stored) {
    fetchAgain(
        List.of(new ChunkRef(page, ChunkRef.MAX_LENGTH)), // the leader goes by the hash
        stored,
        _ -> {
          if (session.isEstablished()
              && isWhole() // else it may just take long
              && cache.pageLost(page) >= MAX_PAGE_LOSSES) {
            snapshots.distrust(why, clock.monotonicNs());
          }
        });
  }

  /**
   * A page that a state in memory needs cannot be read: the leader may have it. Until it is here,
   * calls that need it fail, and no entry that needs it is applied.
   */
  public void pageUnreadable(PageUnreadableException unreadable) {
    Hash page = unreadable.page();
    if (repairs.isWaitingFor(page)) {
      return;
    }
    long now = clock.monotonicNs();
    if (isWhole() && now - nextUnreadableNs >= 0) { // else it has never been here
      nextUnreadableNs = now + LOST_LOG_NS;
      LOG.error(
          "page {} of the state cannot be read, the leader is asked for it: {}",
          page,
          unreadable.getMessage());
    }
    fetchPage(page, String.valueOf(unreadable.getMessage()), replica::pageStored);
  }

  /** A collection has found living chunks damaged: they are fetched again. */
  public void collected(CacheReport report) {
    cache.ended(report, clock.monotonicNs());
    if (report.unreadable() > 0) {
      backfill.begin();
    }
  }

  /**
   * Has the leader hold a state of the past, to be mounted.
   *
   * @param moment as in {@link PastStates#ask}
   * @param asker is told once, on the agent's thread
   */
  public void askForPast(String moment, Consumer<PastStates.Answer> asker) {
    pasts.ask(moment, session.isEstablished() && !stopping, asker);
  }

  /** A mount of a state of the past has ended. */
  public void releasePast(long index) {
    pasts.release(index);
  }

  /** Whether all that its state needs should be here; any thread. */
  public boolean isInstalled() {
    return begun.isComplete() && !restoresNotDurable;
  }

  /**
   * Whether nothing is read of which pages may not be here: a page that is missing now is lost. Any
   * thread.
   */
  public boolean isWhole() {
    return isInstalled() && !isRestoring;
  }

  /** Whether the next entry cannot be applied before a page is here; on the agent's thread. */
  public boolean waitsForPage() {
    return replica.waitsForPage();
  }

  /** What of {@link WorkerTuning} is in force, as its parts have it; on the agent's thread. */
  public WorkerTuning tuning() {
    return new WorkerTuning(
        absence.graceNs(),
        monitor().timeoutNs(),
        readBarrier.staleNs(),
        snapshots.manager().policy().intervalNs());
  }

  /** Takes up what has changed; on the agent's thread. */
  public void tune(WorkerTuning changed) {
    absence.grace(changed.partitionGraceNs());
    monitor().timeout(changed.leaderTimeoutNs());
    readBarrier.stale(changed.leaderStaleNs());
    snapshots.follow(changed.snapshotIntervalNs(), clock.monotonicNs());
  }

  /** The snapshots of this worker; for reports, on the agent's thread. */
  public SnapshotManager snapshots() {
    return snapshots.manager();
  }

  /**
   * What the last snapshot of this run is of, or null if there is nothing new; on the agent's
   * thread, or after it has ended.
   */
  public @Nullable Manifest lastSnapshot() {
    return isInstalled() ? snapshots.last(replica) : null;
  }

  /** Ends every waiting call, turns read-only and disconnects; for the shutdown. */
  public void shutdown() {
    stopping = true;
    updateWritable();
    absence.end();
    intents.failAll(Errno.EIO);
    locks.shutdown();
    repairs.leaderLost();
    pasts.leaderLost();
    link.disconnect();
  }

  @Override
  public int doWork() {
    if (hasSnapshot) {
      return 0;
    }
    // First of all: a caller whose next mutation has been posted since its signal has that mutation
    // submitted by now, so it counts as waiting.
    interruptHandler.tick(clock.monotonicNs());
    if (replica.waitsForPage() && clock.monotonicNs() - nextPageNs >= 0) {
      nextPageNs = clock.monotonicNs() + PAGE_RETRY_NS;
      replica.pageStored(); // whoever was asked for it may not have answered
    }
    int work =
        visibilityGate.backlog() < MAX_INVISIBLE
            ? replica.apply(APPLY_SLICE, readBarrier.commitIndex())
            : 0;
    long now = clock.monotonicNs();
    visibilityGate.awaitAcks(lease.isNeeded() && session.isLive());
    work += visibilityGate.publish(now);
    long settled = visibilityGate.settled();
    intents.completeDone(settled);
    whenVisible.reached(settled);
    locks.tick(now);
    stopIfApplyFailed();
    boolean mayGoLive = offered.pages() == null && (lease.isHeld(now) || kernelIsOld);
    if (mayGoLive && session.goLiveIfCaughtUp(settled)) {
      if (kernelIsOld) {
        absence.takenOver(now, config.mutationDeadlineNs()); // before the mount is answered
      }
      wasLive = true;
      readBarrier.live();
      intents.reconnected(settled, now);
    }
    session.tick(now, clock.suspendedNs());
    leases.tick(session.isEstablished(), now);
    repairs.expire(now);
    if (session.isEstablished()) {
      pushed.tick(now);
      multicast.tick(now);
      storeAgain(now);
      report(now, visibilityGate.view().visible());
      intents.awaitAcks(lease.isNeeded());
      if (!kernelIsOld) {
        visibilityReports.tick(settled, now);
      }
    }
    if (session.isLive()) {
      intents.retry(now);
    }
    begun.saved(snapshots.manager().baseIndex());
    if (session.isLive() && isInstalled() && !offered.isRunning() && jump == null) {
      work +=
          cache.tick(needed, snapshots.manager(), surroundings.pressure().diskPercent(), now)
              ? 1
              : 0;
      fetchInBackground(now);
    }
    if (intents.expire(now) > 0 && session.isLive()) {
      // The connection works, but our mutations get no answer: reconnect (6.4).
      session.giveUp(
          "mutations unanswered for " + config.mutationDeadlineNs() / 1_000_000 + " ms", now);
    }
    gate.expire(now);
    absence.tick(now);
    work += takeOffered(now) ? 1 : 0;
    work += installSome(now) ? 1 : 0;
    work += jumpIfWaiting(now) ? 1 : 0;
    work += takeSnapshots(now) ? 1 : 0;
    if (replica.error() != null && replica.ahead() == 0 && visibilityGate.backlog() == 0) {
      locks.neverVisible();
      // whether committed or not, they will never be visible here (6.4.1)
      intents.failAll(Errno.EIO);
    }
    updateWritable();
    readBarrier.advance(settled);
    link.flush();
    return work;
  }

  /** The state of the link, for reports; on the agent's thread. */
  public LinkMonitor monitor() {
    return session.monitor();
  }

  /** What the leader has told besides the log; for status reports, on the agent's thread only. */
  public Notices notices() {
    return session.notices();
  }

  /** Why apply is stalled, or null; on the agent's thread. */
  public @Nullable ApplyError applyError() {
    return replica.error();
  }

  /**
   * Why apply is stalled, or will stall once that entry is durable; or null. On the agent's thread.
   */
  public @Nullable ApplyError applyFailure() {
    return replica.failure();
  }

  /** The newest commit index received; on the agent's thread. */
  public long commitIndex() {
    return readBarrier.commitIndex();
  }

  /** How far what is shown here is behind, and how fast it follows; on the agent's thread. */
  public Progress catchUp() {
    return catchUp.towards(goal(visible()));
  }

  private long goal(IndexedState shown) {
    return Math.max(commitIndex(), shown.index());
  }

  /**
   * How often an entry became visible before the kernel's names were right; on the agent's thread.
   */
  public long namesLate() {
    return visibilityGate.namesLate();
  }

  /** How many callers wait for a mutation; on the agent's thread. */
  public int pendingMutations() {
    return gate.size();
  }

  /** How many open-leases keep the leader from reaping a node; on the agent's thread. */
  public int openLeases() {
    return leases.size();
  }

  /** How many chunks the leader has sent again for readers; on the agent's thread. */
  public long chunksRepaired() {
    return repairs.repaired();
  }

  /** Fetches what is not here; for reports, on the agent's thread. */
  public Backfill backfill() {
    return backfill;
  }

  /** How many fsync calls had nothing to wait for; on the agent's thread. */
  public long fsyncsElided() {
    return fsyncsElided;
  }

  private void welcomed(Welcome welcome, long nowNs) {
    long known = mirror.knownTerm(welcome.lineage());
    if (seen.isDeposed(welcome.lineage(), welcome.term()) || welcome.term() < known) {
      session.deposed(welcome.term(), Math.max(seen().term(), known), nowNs);
      return;
    }
    if (!session.welcomed(welcome, nowNs)) {
      return;
    }
    mirror.welcomed(welcome.lineage(), welcome.term(), welcome.commitIndex());
    seen.welcomed(welcome.lineage(), welcome.term(), visible().index(), visible().root());
    intents.inlineUpTo(session.params().inlineThreshold());
    locks.welcomed(welcome, nowNs);
    leases.welcomed(welcome, nowNs);
    pasts.welcomed(session.params().features().has(Feature.PAST_STATES));
    begun.hold();
    readBarrier.observed(welcome.commitIndex());
    // What was not durable yet then is behind every collection.
    long collected = Math.min(welcome.collectedThrough(), welcome.commitIndex());
    replica.collectedThrough(collected);
    if (replica.applied().index() < collected) {
      mirror.withoutChunksThrough(collected);
      backfill.begin();
    }
  }

  private void take(List<byte[]> entries, ChunkDelivery delivery, long nowNs) {
    if (offered.pages() != null) {
      refuseOffer("the leader sends entries meanwhile");
      return;
    }
    try {
      List<ChunkRef> fetch = replica.offer(entries);
      arrivals.add(durablyReceived(), nowNs);
      pushed.needed(fetch, delivery, nowNs);
    } catch (DecodeException e) {
      session.giveUp("the leader sent a log that makes no sense: " + e.getMessage(), nowNs);
    } catch (PayloadGoneException e) { // the next connection brings all of it
      session.giveUp(String.valueOf(e.getMessage()), nowNs);
    }
  }

  private void fetch(List<ChunkRef> chunks) {
    for (int from = 0; from < chunks.size(); from += Protocol.MAX_HASHES_PER_MESSAGE) {
      int to = Math.min(chunks.size(), from + Protocol.MAX_HASHES_PER_MESSAGE);
      link.send(new ChunkFetch(chunks.subList(from, to)));
    }
  }

  private void fetchInBackground(long nowNs) {
    if (cache.hasRoom()
        && replica.missingChunks() == 0 // entries go first
        && surroundings.pressure().diskPercent() < BACKFILL_DISK_PERCENT) {
      try {
        fetch(backfill.work(visibilityGate.view().visible().state(), nowNs));
      } catch (ChunkStoreException e) {
        LOG.warn("chunks that are missing here are not looked for: {}", e.getMessage());
        backfill.pause(nowNs);
      } catch (PageUnreadableException e) { // it is asked for
        backfill.pause(nowNs);
      }
    }
  }

  /**
   * Retries stores that failed for lack of space, so that a full disk does not stop apply for good,
   * and fetches that the leader had no answer to.
   */
  private void storeAgain(long nowNs) {
    if (nowNs >= nextStoreNs) {
      nextStoreNs = nowNs + STORE_AGAIN_NS;
      fetch(replica.tryAgain());
      fetchAgain();
    }
  }

  private long durablyReceived() {
    return Math.min(replica.received(), readBarrier.commitIndex());
  }

  /**
   * What a standby has on its disk; 0 while chunks of the state may be missing, for then it cannot
   * lead, whatever entries it has. What was fetched in the background belongs to no entry, so it is
   * synced before anything is said.
   */
  private long synced() {
    long synced = mirror.syncedIndex();
    if (synced == WorkerApplied.NO_STANDBY) {
      return synced;
    }
    if (!hasAllChunks()) {
      return 0;
    }
    if (backfill.fetched() != fetchedAndSynced) {
      mirror.complete();
      fetchedAndSynced = backfill.fetched();
    }
    return synced;
  }

  /** Reports the visible index, not the applied one: the leader reaps orphans by it (6.8). */
  private void report(long nowNs, IndexedState shown) {
    long synced = synced();
    if (nowNs >= nextReportNs
        || shown.index() - reportedIndex >= REPORT_EVERY_ENTRIES
        || (synced != reportedSynced && session.params().features().has(Feature.SYNC_STANDBY))) {
      nextReportNs = nowNs + config.reportNs();
      reportedIndex = shown.index();
      reportedSynced = synced;
      catchUp.sample(nowNs, shown.index(), goal(shown));
      link.send(
          new WorkerApplied(
              shown.index(),
              shown.root(),
              !isWritable(),
              replica.missingChunks(),
              replica.error(),
              surroundings.report().withSyncLag(syncLag.p95Us(nowNs)),
              synced));
    }
  }

  /**
   * Turns read-only at once, so that no mutation is accepted that can never be visible here
   * (6.4.1).
   */
  private void stopIfApplyFailed() {
    ApplyError error = replica.error();
    if (!Objects.equals(error, reportedError)) {
      reportedError = error;
      if (error != null) {
        LOG.error(
            LogEvent.APPLY_STOPPED.marker(), "apply stopped, the mount is read-only: {}", error);
      } else {
        LOG.info(LogEvent.APPLY_GOES_ON.marker(), "apply goes on: what stopped it is tried again");
      }
    }
    if (error != null && writable) {
      updateWritable();
    }
    if (snapshots.manager().distrusted() != null) {
      replica.noSnapshotComes();
    }
    if (replica.isStateSuspect()) {
      snapshots.distrust("the state may not be the one of the log", clock.monotonicNs());
    }
  }

  private void updateWritable() {
    boolean leased = session.isLive() && lease.isHeld(clock.monotonicNs());
    boolean mayWait = !stopping && replica.error() == null && !replica.waitsForSnapshot();
    if (writable && !leased && session.isLive()) {
      LOG.warn(
          "calls of other hosts do not wait for this worker any more: the mount is read-only until"
              + " it shows what they have done; see ./hypersync visibility");
    }
    if (writable && !leased && mayWait) {
      absence.lost(clock.monotonicNs()); // before anybody can find the mount read-only
    }
    writable = leased && mayWait;
    live = session.isLive() && mayWait;
    if (!session.isLive() || stopping || replica.error() != null) {
      readBarrier.lost();
    }
    if (absence.isRunning() && (writable || !mayWait)) {
      absence.end();
    }
  }

  private Runnable applied(LogEntry entry, IndexedState before, IndexedState after) {
    if (entry.op() instanceof FsOp.RestoreState) { // it is followed when it is shown
      OrphanChanges.look(entry.op(), entry.createdNode(), before.state(), after.state());
      restoresNotDurable = true;
      isRestoring = false;
    }
    Runnable queue = visibilityGate.applied(entry, before, after);
    return () -> {
      noteApplied(entry);
      queue.run();
    };
  }

  private void noteApplied(LogEntry entry) {
    long now = clock.monotonicNs();
    long arrivedNs = arrivals.take(entry.index(), now);
    syncLag.applied(entry.index(), arrivedNs);
    MutationTimestamps times = intents.times(entry.intent());
    if (times != null) {
      times.applied(arrivedNs, now);
    }
    if (entry.op() instanceof FsOp.CopyRange) {
      backfill.extentsMoved();
    } else if (entry.op() instanceof FsOp.RestoreState restore) {
      restoresNotDurable = false;
      begun.restored(entry.index(), restore.manifest());
      snapshots.manager().restored();
    }
  }

  /** An entry is visible: if it came from here, its caller may get its reply. */
  private void becameVisible(LogEntry entry, FsState after) {
    long now = clock.monotonicNs();
    syncLag.visible(entry.index(), now);
    MutationTimestamps times = intents.times(entry.intent());
    if (times != null) {
      times.visible(now);
    }
    intents.applied(entry, after);
  }

  private static ReadBarrier.Waiter regardless(WaitingCall call) {
    return new ReadBarrier.Waiter() {
      @Override
      public RequestId unique() {
        return call.unique();
      }

      @Override
      public void fresh() {
        call.ready().run();
      }

      @Override
      public void leaderLost() {
        call.ready().run();
      }

      @Override
      public void interrupted() {
        call.interrupted().run();
      }
    };
  }
}
