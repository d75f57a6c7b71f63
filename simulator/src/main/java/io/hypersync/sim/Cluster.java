package io.hypersync.sim;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.lock.LockManager;
import io.hypersync.leader.oplog.OpLogCorruptException;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.sim.check.EverywhereChecker;
import io.hypersync.sim.check.FenceChecker;
import io.hypersync.sim.check.LockChecker;
import io.hypersync.sim.check.LogChecker;
import io.hypersync.sim.check.MutationChecker;
import io.hypersync.sim.check.OpenFileChecker;
import io.hypersync.sim.check.PastChecker;
import io.hypersync.sim.check.RequestChecker;
import io.hypersync.sim.check.RestoreChecker;
import io.hypersync.sim.check.UndoChecker;
import io.hypersync.sim.disk.LeaderDisk;
import io.hypersync.sim.disk.SimChunkStore;
import io.hypersync.sim.disk.SnapshotDisk;
import io.hypersync.sim.load.Histories;
import io.hypersync.sim.load.HistoryProcess;
import io.hypersync.sim.load.SimKernel;
import io.hypersync.sim.load.SimProcess;
import io.hypersync.sim.load.WriteLengths;
import io.hypersync.sim.mainhost.MainHostWish;
import io.hypersync.sim.mainhost.SharedProcess;
import io.hypersync.sim.net.LeaderEnd;
import io.hypersync.sim.net.SimGroup;
import io.hypersync.sim.net.SimNetwork;
import io.hypersync.sim.net.SymbolFaults;
import io.hypersync.sim.net.WorkerEnd;
import io.hypersync.sim.node.Recording;
import io.hypersync.sim.node.SimLeader;
import io.hypersync.sim.node.SimPasts;
import io.hypersync.sim.node.SimRestores;
import io.hypersync.sim.node.SimStateRestores;
import io.hypersync.sim.node.SimUndos;
import io.hypersync.sim.node.SimWorker;
import io.hypersync.sim.node.WrittenBytes;
import io.hypersync.sim.world.Host;
import io.hypersync.sim.world.Prng;
import io.hypersync.sim.world.Timeline;
import io.hypersync.wire.message.SeenState;
import io.hypersync.worker.cache.CacheLimits;
import io.hypersync.worker.port.EntryMirror;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The system under test: one leader, two workers, their processes, disks and network. Offers
 * crashes and restarts to {@link Faults} and runs the checkers after each step. Used by one thread.
 */
final class Cluster {
  static final int WORKERS = 2;

  /** The worker that may be in the leader's process. */
  private static final int MAIN_HOST = 0;

  private static final int HISTORY_PROCESSES = 2;

  /** Paths are restored in one of so many histories. */
  private static final int RESTORES = 3;

  /** In so many histories one has undos. */
  private static final int UNDOS = 4;

  /** Everything is restored in one of so many histories. */
  private static final int WHOLE_RESTORES = 3;

  /** States of the past are mounted in one of so many histories. */
  private static final int PASTS = 3;

  private static final long REQUEST_FACTOR = 4;
  private static final long RESTART_NS = 50 * Timeline.MS;
  private static final long LONGEST_OUTAGE_NS = 3_000 * Timeline.MS;

  private final SwarmOptions swarmOptions;
  private final Timeline timeline;
  private final Prng prng;
  private final Prng agentPrng;
  private Recording recording;
  private LeaderDisk disk;
  private final List<LeaderDisk> leaderDisks = new ArrayList<>();
  private final @Nullable Failover failover;
  private final SimNetwork network;
  private final SimGroup group;
  private final List<SnapshotDisk> disks = new ArrayList<>();
  private final List<SimWorker> workers = new ArrayList<>();
  private @Nullable SimLeader leader;
  private final Histories histories = new Histories();
  private final WriteLengths lengths;
  private final SimRestores.Wish restores;
  private final SimUndos.Wish undos;
  private final SimPasts.Wish pasts;
  private final SimStateRestores.Wish wholeRestores;
  private final MainHostWish mainHost;
  private boolean quiet;
  private int workerRuns;
  private int lastPid = 100;
  private long lastRequest;

  /**
   * A cluster whose leader and workers run.
   *
   * @param restorePrng of restores; a source of its own, so that histories without restores are
   *     what they were
   * @param pastPrng the same for states of the past that are mounted
   * @param wholePrng the same for restores of everything
   * @param symbolPrng the same for what goes wrong with symbols, and for writes of one length
   * @param groupPrng the same for what is sent to all workers at once
   * @param agentPrng the same for processes that belong to agents
   * @param undoPrng the same for undos
   * @param mainHost whether the first worker is in the leader's process
   * @param failoverPrng of standbys and takeovers
   */
  Cluster(
      SwarmOptions swarmOptions,
      Timeline timeline,
      Prng prng,
      Prng restorePrng,
      Prng pastPrng,
      Prng wholePrng,
      Prng symbolPrng,
      Prng groupPrng,
      Prng agentPrng,
      Prng undoPrng,
      MainHostWish mainHost,
      Prng failoverPrng) {
    this.swarmOptions = swarmOptions;
    this.timeline = timeline;
    this.mainHost = swarmOptions.failover() ? mainHost.none() : mainHost;
    this.prng = prng;
    this.agentPrng = agentPrng;
    this.disk = new LeaderDisk(prng.split());
    leaderDisks.add(disk);
    this.failover = swarmOptions.failover() ? new Failover(this, timeline, failoverPrng) : null;
    MutationChecker mutations = new MutationChecker(timeline, SwarmOptions.longestMutationNs());
    LogChecker log = new LogChecker(mutations, timeline);
    LockChecker locks = new LockChecker(this::lockSession, this::logIndex);
    this.recording =
        new Recording(
            log,
            mutations,
            new RequestChecker(timeline, REQUEST_FACTOR * SwarmOptions.longestMutationNs()),
            locks,
            new FenceChecker(locks),
            new OpenFileChecker(timeline, SwarmOptions.OPEN_LEASE_TTL_NS, log),
            new EverywhereChecker(),
            new WrittenBytes());
    this.network =
        new SimNetwork(
            timeline,
            prng.split(),
            swarmOptions.networkProfile(),
            new SymbolFaults(symbolPrng.split(), !swarmOptions.losesTouch()),
            this::address);
    this.lengths = new WriteLengths(symbolPrng.split());
    this.group =
        new SimGroup(timeline, groupPrng, network, swarmOptions.networkProfile().slowestDownNs());
    // The processes of histories expect that nobody else changes their files.
    boolean isAlone = !swarmOptions.strictReads() && !swarmOptions.failover();
    boolean restores = restorePrng.oneIn(RESTORES) && isAlone;
    this.restores =
        new SimRestores.Wish(restorePrng, new RestoreChecker(log), () -> restores && !quiet);
    boolean undoes = undoPrng.oneIn(UNDOS) && isAlone;
    this.undos =
        new SimUndos.Wish(
            undoPrng, new RestoreChecker(log), new UndoChecker(log), undoes, () -> !quiet);
    boolean mounts = pastPrng.oneIn(PASTS) && !swarmOptions.failover();
    this.pasts = new SimPasts.Wish(pastPrng, new PastChecker(), () -> mounts && !quiet);
    boolean isWhole = wholePrng.oneIn(WHOLE_RESTORES) && isAlone;
    this.wholeRestores =
        new SimStateRestores.Wish(
            wholePrng, new RestoreChecker(log), log, new PastChecker(), () -> isWhole && !quiet);
    startLeader();
    for (int i = 0; i < WORKERS; i++) {
      disks.add(
          new SnapshotDisk(
              "worker",
              new SimChunkStore(),
              SnapshotDisk.BEGUN,
              SnapshotDisk.INSTALLED,
              SnapshotDisk.INTERRUPTED,
              SnapshotDisk.JUMPED,
              SnapshotDisk.RESTORED_ALL,
              SnapshotDisk.REPAIRED,
              SnapshotDisk.NOT_DECODED,
              SnapshotDisk.WITHOUT_PAYLOAD,
              SnapshotDisk.ASKED,
              SnapshotDisk.LATE,
              SnapshotDisk.STUCK,
              SnapshotDisk.HEARD,
              SnapshotDisk.UNHEARD,
              SnapshotDisk.BACKFILLED,
              SnapshotDisk.CACHE_COLLECTED,
              SnapshotDisk.CACHE_REMOVED,
              SnapshotDisk.CACHE_EVICTED));
      workers.add(start(i));
    }
    if (failover != null) {
      failover.begin();
    }
  }

  /** The takeovers of this history; null if it has none. */
  @Nullable Failover failover() {
    return failover;
  }

  WorkspaceId workspace() {
    return swarmOptions.leader(group).workspace();
  }

  long slowestSyncNs() {
    return swarmOptions.slowestSyncNs();
  }

  private long logIndex() {
    return recording.log().index();
  }

  private @Nullable LeaderEnd address(WorkerEnd worker) {
    return failover == null ? leader : failover.address(worker);
  }

  /** What happens on this disk counts, too. */
  void added(LeaderDisk another) {
    leaderDisks.add(another);
  }

  /**
   * Another disk is led from now on.
   *
   * @param log the judge of its log
   */
  void lead(LeaderDisk next, LogChecker log) {
    disk = next;
    recording = recording.by(log);
    recording.open().follow(log);
    recording.locks().takenOver(log.index());
    startLeader();
  }

  /** A leader that nobody is to obey any more, judged by checkers of its own; null if it fails. */
  @Nullable SimLeader apart(LeaderDisk old, LogChecker log, Consumer<String> failed) {
    LockChecker locks = new LockChecker(_ -> 0, log::index);
    try {
      return begun(
          old,
          log,
          new OpenFileChecker(timeline, SwarmOptions.OPEN_LEASE_TTL_NS, log),
          locks,
          new FenceChecker(locks),
          failed);
    } catch (IOException | ChunkStoreException e) {
      timeline.note("it cannot start: " + e.getMessage());
      return null;
    }
  }

  /** A worker that is to be a standby, with no processes. */
  SimWorker newStandby(
      WorkerId id,
      SnapshotDisk disk,
      Function<Host, EntryMirror> mirrors,
      Consumer<UserError> failed) {
    workerRuns++;
    return new SimWorker(
        swarmOptions.worker(id.name()),
        swarmOptions.workerSnapshots(),
        new CacheLimits(Long.MAX_VALUE, CacheLimits.NO_LIMIT),
        swarmOptions.stateMemory(),
        workerRuns,
        disk,
        network,
        group,
        timeline,
        prng.split(),
        SwarmOptions.TICK_NS,
        SwarmOptions.silenceToleranceNs(),
        false,
        null,
        agentPrng.split(),
        recording,
        mirrors,
        failed);
  }

  /** An operator removes what a worker remembers to have seen, and starts it again. */
  void forgetSeen(String worker) {
    for (int i = 0; i < workers.size(); i++) {
      if (name(i).equals(worker)) {
        disks.get(i).seen(SeenState.NONE);
        restartWorker(i, false);
      }
    }
  }

  Recording recording() {
    return recording;
  }

  SimNetwork network() {
    return network;
  }

  /** What is sent to all workers at once. */
  SimGroup group() {
    return group;
  }

  LeaderDisk disk() {
    return disk;
  }

  /** Counts of rare events that must occur in some histories, by name; once, at the end. */
  Map<String, Long> happened() {
    if (leader != null) {
      disk.snapshots().count(leader.pages());
      recording
          .everywhere()
          .count(EverywhereChecker.CUT_OFF, leader.agent().visibility().cutOffs());
    }
    for (int i = 0; i < workers.size(); i++) {
      disks.get(i).count(workers.get(i).pages());
      if (workers.get(i).agent().pushed().status().asked() > 0) {
        disks.get(i).count(SnapshotDisk.ASKED);
      }
    }
    Map<String, Long> all = new TreeMap<>();
    leaderDisks.forEach(
        each -> each.happened().forEach((what, count) -> all.merge(what, count, Long::sum)));
    if (failover != null) {
      all.putAll(failover.happened());
    }
    disks.forEach(
        each -> each.happened().forEach((what, count) -> all.merge(what, count, Long::sum)));
    all.putAll(recording.everywhere().happened());
    return all;
  }

  SimChunkStore store(int worker) {
    return disks.get(worker).chunks();
  }

  SimWorker worker(int worker) {
    return workers.get(worker);
  }

  List<SimWorker> workers() {
    return workers;
  }

  @Nullable SimLeader leader() {
    return leader;
  }

  /** The calls that are checked for linearizability. */
  Histories histories() {
    return histories;
  }

  /** From now on no process makes another call. */
  void quiet() {
    quiet = true;
  }

  void crashLeader(boolean powerLost) {
    SimLeader gone = leader;
    if (gone != null) {
      leader = null;
      recording.everywhere().count(EverywhereChecker.CUT_OFF, gone.agent().visibility().cutOffs());
      disk.snapshots().count(gone.pages());
      gone.crash(powerLost);
      network.crashed(gone);
      if (gone.process() != null) {
        disks.get(MAIN_HOST).handOver(null);
        ended(MAIN_HOST, powerLost);
      }
    }
  }

  /** The log has failed, so the leader stops itself. It is started again after a random outage. */
  private void leaderFailed(String why) {
    timeline.note("the leader stops: " + why);
    crashLeader(false);
    timeline.after(
        prng.scale(RESTART_NS, LONGEST_OUTAGE_NS), "the leader starts", this::startLeader);
  }

  /**
   * Starts the leader unless it is running. If chunks cannot be restored for lack of space, it
   * tries again later. If the leader refuses to start on a damaged log, the log is restored from an
   * undamaged copy and the leader is started again.
   */
  void startLeader() {
    if (leader != null) {
      return;
    }
    try {
      SimLeader begun =
          begun(
              disk,
              recording.log(),
              recording.open(),
              recording.locks(),
              recording.fences(),
              this::leaderFailed);
      leader = begun;
      if (failover != null) {
        failover.begins(disk);
        begun.onOutdated(failover::outdated);
      }
      if (mainHost.isWanted() && !workers.isEmpty()) {
        workers.set(MAIN_HOST, start(MAIN_HOST));
      }
    } catch (PageUnreadableException e) {
      disk.snapshots().suspect();
      timeline.after(RESTART_NS, "the leader reads all pages, and starts", this::startLeader);
    } catch (ChunkStoreException e) {
      timeline.after(RESTART_NS, "the leader tries to start: " + e.errno(), this::startLeader);
    } catch (OpLogCorruptException e) {
      if (!disk.isLogDamaged()) {
        throw new IllegalStateException("a log that nobody has damaged is refused", e);
      }
      timeline.note("the leader refuses to start: " + e.getMessage());
      timeline.after(RESTART_NS, "the log is restored, the leader starts", this::restoreAndStart);
    } catch (IOException e) {
      timeline.after(RESTART_NS, "the leader tries to start: " + e.getMessage(), this::startLeader);
    }
  }

  private SimLeader begun(
      LeaderDisk on,
      LogChecker log,
      OpenFileChecker open,
      LockChecker locks,
      FenceChecker fences,
      Consumer<String> failed)
      throws IOException {
    return new SimLeader(
        swarmOptions.leader(group),
        swarmOptions.visibility(),
        swarmOptions.leaderSnapshots(),
        swarmOptions.collections(),
        swarmOptions.stateMemory(),
        on,
        group,
        timeline,
        prng.split(),
        swarmOptions.slowestSyncNs(),
        SwarmOptions.TICK_NS,
        log,
        open,
        locks,
        fences,
        swarmOptions.losesTouch(),
        restores,
        undos,
        pasts,
        wholeRestores,
        mainHost,
        new WorkerId(name(MAIN_HOST)),
        failed);
  }

  private void restoreAndStart() {
    disk.repair();
    startLeader();
  }

  /** Whether this worker is in the leader's process. */
  boolean isBesideLeader(int index) {
    return mainHost.isWanted() && index == MAIN_HOST;
  }

  private static String name(int worker) {
    return "w" + (worker + 1);
  }

  /** A process that crashes hands nothing over. */
  void crashWorker(int index, boolean powerLost) {
    if (isBesideLeader(index)) {
      throw new IllegalArgumentException("it ends with its leader");
    }
    disks.get(index).handOver(null);
    restartWorker(index, powerLost);
  }

  /** One in the leader's process starts now if that runs, else with it. */
  private void restartWorker(int index, boolean powerLost) {
    SimWorker gone = workers.get(index);
    if (!gone.host().isAlive()) {
      return;
    }
    ended(index, powerLost);
    SharedProcess process = gone.isBesideLeader() && leader != null ? leader.process() : null;
    if (process != null) {
      process.workerEnded();
    }
    workers.set(index, start(index));
  }

  private void ended(int index, boolean powerLost) {
    SimWorker gone = workers.get(index);
    gone.interrupted();
    disks.get(index).count(gone.pages());
    gone.host().crash();
    network.crashed(gone);
    group.leave(gone);
    recording.mutations().abandoned(gone.tagPrefix());
    recording.requests().abandoned(gone.id().name());
    recording.locks().abandoned(gone.id().name());
    recording.open().abandoned(gone.id().name());
    if (powerLost) {
      store(index).losePower(prng);
    } else {
      store(index).evict(prng);
    }
  }

  /** Ends all connections of a worker, which may connect again. */
  void breakConnections(int index) {
    SharedProcess process = leader == null ? null : leader.process();
    if (isBesideLeader(index) && process != null) {
      process.breakConnection();
    } else {
      network.breakConnections(workers.get(index));
    }
  }

  /** Stops the process of a worker for a while, which may be the leader's. */
  void pauseWorker(int index, long ns) {
    workers.get(index).host().pause(ns);
    if (isBesideLeader(index) && leader != null) {
      leader.host().pause(ns);
    }
  }

  /** Restarts workers that have stopped applying, or will; this stands for an operator's repair. */
  void restartStuckWorkers() {
    for (int i = 0; i < WORKERS; i++) {
      if (workers.get(i).needsOperator()) {
        restartWorker(i, false);
      }
    }
  }

  /**
   * Starts workers again that have installed a snapshot, as the product does within its process, or
   * that have ended themselves, as a supervisor does.
   */
  private void restartEndedWorkers() {
    for (int i = 0; i < WORKERS; i++) {
      int index = i;
      SimWorker worker = workers.get(i);
      if (worker.endsNow() || (failover != null && worker.isRefusedNow())) {
        timeline.after(
            RESTART_NS,
            worker.id().name() + " starts again",
            () -> {
              if (workers.get(index) == worker) {
                restartWorker(index, false);
              }
            });
      }
    }
  }

  /** Checks every invariant that can be checked between two steps. */
  void check() {
    restartEndedWorkers();
    workers.forEach(SimWorker::check);
    if (failover != null) {
      failover.check();
      for (int i = 0; i < workers.size(); i++) {
        disks.get(i).seen(workers.get(i).agent().seen());
      }
    }
    mainHost.checker().check();
    recording.mutations().checkDeadlines();
    recording.requests().checkDeadlines();
    SimLeader leading = leader;
    if (leading != null) {
      workers.forEach(worker -> checkLocks(worker, leading));
      leading.check();
    }
  }

  /** Whether chunks of the leader have rotted, so that there may be some that nobody has. */
  boolean hasRotted() {
    return disk.chunks().rotted() > 0;
  }

  private void checkLocks(SimWorker worker, SimLeader leading) {
    LockManager lockManager = leading.agent().locks();
    if (worker.isAtRest(lockManager.session(worker.id()))) {
      recording.locks().atRest(worker.id().name(), lockManager.held(worker.id()));
    }
  }

  private long lockSession(String worker) {
    SimLeader now = leader;
    return now == null ? 0 : now.agent().locks().session(new WorkerId(worker));
  }

  private void startHistories(SimWorker worker) {
    for (int i = 0; i < HISTORY_PROCESSES; i++) {
      lastPid++;
      SimKernel kernel = new SimKernel(worker, recording, () -> ++lastRequest);
      new HistoryProcess(
              lastPid,
              kernel,
              recording,
              histories,
              prng.split(),
              swarmOptions.longestThinkNs(),
              () -> !quiet)
          .start();
    }
  }

  /** A worker that cannot read a page reads all of them before it begins. */
  private SimWorker newWorker(int index) {
    try {
      return begun(index);
    } catch (PageUnreadableException e) {
      disks.get(index).suspect();
      return begun(index);
    }
  }

  private SimWorker begun(int index) {
    workerRuns++;
    return new SimWorker(
        swarmOptions.worker(name(index)),
        swarmOptions.workerSnapshots(),
        swarmOptions.caches(),
        swarmOptions.stateMemory(),
        workerRuns,
        disks.get(index),
        network,
        group,
        timeline,
        prng.split(),
        SwarmOptions.TICK_NS,
        SwarmOptions.silenceToleranceNs(),
        swarmOptions.strictReads(),
        isBesideLeader(index) && leader != null ? leader.process() : null,
        agentPrng.split(),
        index < workers.size() ? recording.by(workers.get(index).judge()) : recording,
        _ -> EntryMirror.NONE,
        why -> {
          throw why;
        });
  }

  private SimWorker start(int index) {
    SimWorker worker = newWorker(index);
    SimKernel kernel = new SimKernel(worker, recording, () -> ++lastRequest);
    for (int i = 0; i < swarmOptions.processes(); i++) {
      lastPid++;
      new SimProcess(
              lastPid,
              kernel,
              recording,
              prng.split(),
              lengths,
              swarmOptions.longestThinkNs(),
              () -> !quiet)
          .start();
    }
    if (swarmOptions.strictReads()) {
      startHistories(worker);
    }
    return worker;
  }
}
