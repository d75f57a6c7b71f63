package io.hypersync.sim;

import io.hypersync.leader.CatchUpLimits;
import io.hypersync.leader.IntentRateLimits;
import io.hypersync.leader.LeaderConfig;
import io.hypersync.leader.collection.CollectionPolicy;
import io.hypersync.leader.dataplane.DataPlaneSettings;
import io.hypersync.leader.placement.PlacementLimits;
import io.hypersync.leader.quota.WorkerQuotas;
import io.hypersync.leader.visibility.Visibility;
import io.hypersync.leader.visibility.VisibilityOptions;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.sim.net.NetworkProfile;
import io.hypersync.sim.net.SimGroup;
import io.hypersync.sim.world.Prng;
import io.hypersync.sim.world.Timeline;
import io.hypersync.snapshot.schedule.SnapshotPolicy;
import io.hypersync.wire.message.Feature;
import io.hypersync.wire.message.Features;
import io.hypersync.wire.message.NegotiatedParams;
import io.hypersync.worker.WorkerConfig;
import io.hypersync.worker.cache.CacheLimits;
import io.hypersync.worker.snapshot.WorkerSnapshots;
import java.util.ArrayList;
import java.util.List;

/**
 * The swarm options of one history, all drawn from its seed: limits that are small enough to be
 * reached, and how often faults happen. Every seed draws other values, so that combinations which
 * are rare on average are common in some histories.
 *
 * @param networkProfile delays and losses of the network while no fault is active
 * @param slowestSyncNs the longest sync of the log
 * @param longestThinkNs the longest time between two calls of a process
 * @param reconnectMinNs see {@link WorkerConfig}
 * @param meanFaultNs average time between two faults; {@code Long.MAX_VALUE} for no faults
 * @param faults the kinds of faults that are injected; in most histories not all of them, so that
 *     each kind dominates some histories
 * @param windowEntries see {@link LeaderConfig}
 * @param maxPendingIntents see {@link LeaderConfig}
 * @param tailCacheBytes see {@link LeaderConfig}
 * @param processes number of random processes on each worker
 * @param strictReads whether workers have strict_reads (hypersync.md 5.3); if so, processes whose
 *     calls are checked for linearizability run too
 * @param maxUnsyncedEntries see {@link LeaderConfig}
 * @param rateLimits see {@link LeaderConfig}
 * @param snapshots how often the leader takes snapshots, and how many it keeps
 * @param workerSnapshots the same of each worker
 * @param catchUpEntries how far behind a worker that starts gets a snapshot, in entries
 * @param collections how often the leader collects dead chunks, and its replay window
 * @param stateMemory what of a state need not be in memory may take so much, in bytes
 * @param caches how much the chunks of each worker may take, and how often they are collected
 * @param retainBytes what the snapshots of the leader may keep, in bytes
 * @param dataPlane how chunks are sent to workers
 * @param everywhere whether acknowledgements wait until all workers show what they tell of
 * @param failover whether there is a standby, and takeovers
 */
record SwarmOptions(
    NetworkProfile networkProfile,
    long slowestSyncNs,
    long longestThinkNs,
    long reconnectMinNs,
    long meanFaultNs,
    List<FaultKind> faults,
    int windowEntries,
    int maxPendingIntents,
    long tailCacheBytes,
    int processes,
    boolean strictReads,
    int maxUnsyncedEntries,
    IntentRateLimits rateLimits,
    SnapshotPolicy snapshots,
    SnapshotPolicy workerSnapshots,
    long catchUpEntries,
    CollectionPolicy collections,
    CacheLimits caches,
    long retainBytes,
    long stateMemory,
    DataPlaneSettings dataPlane,
    boolean everywhere,
    boolean failover) {
  /** How often agents do their timed work. */
  static final long TICK_NS = 20 * Timeline.MS;

  /** A leader that has been silent for this long counts as unreachable. */
  static final long LEADER_TIMEOUT_NS = 600 * Timeline.MS;

  /** How long mutations of some workers wait for a leader that is lost. */
  private static final long PARTITION_GRACE_NS = 2_000 * Timeline.MS;

  /**
   * LEADER_STALE of simulated workers: shorter than the heartbeat interval, so that workers often
   * have to ask the leader for a barrier.
   */
  static final long LEADER_STALE_NS = 60 * Timeline.MS;

  /** MUTATION_DEADLINE of simulated workers. */
  static final long MUTATION_DEADLINE_NS = 4_000 * Timeline.MS;

  /** lock_ttl of the simulated leader. */
  static final long LOCK_TTL_NS = 1_000 * Timeline.MS;

  /** Grace after {@link #LOCK_TTL_NS}, in which a lock can still be renewed. */
  static final long LOCK_GRACE_NS = 400 * Timeline.MS;

  /**
   * OPEN_LEASE_TTL of the simulated leader: longer than an agent can be paused without losing its
   * connection.
   */
  static final long OPEN_LEASE_TTL_NS = 3_000 * Timeline.MS;

  /** How long a worker of the simulated leader counts as there without a connection. */
  static final long PRESENCE_LEASE_NS = 1_500 * Timeline.MS;

  /** A worker that is behind for so long gets a snapshot. */
  static final long MAX_LAG_NS = 1_000 * Timeline.MS;

  /** How long the simulated leader keeps a snapshot for a worker that installs it. */
  static final long INSTALL_NS = 5_000 * Timeline.MS;

  /** How long the simulated leader waits for a worker that does not show an entry. */
  private static final long VISIBILITY_TIMEOUT_NS = 400 * Timeline.MS;

  /** How long a worker is writable without a word of the leader, if it needs a lease for that. */
  private static final long VISIBILITY_LEASE_NS = 600 * Timeline.MS;

  /** The longest pause of a worker or leader process. */
  static final long LONGEST_PAUSE_NS = 1_500 * Timeline.MS;

  /** Loss rates of hypersync.md 22.3. */
  private static final List<Integer> LOSS_PERCENT = List.of(1, 5, 10);

  private static final List<FaultKind> OF_WHOLE_DISKS =
      List.of(
          FaultKind.BREAK,
          FaultKind.PARTITION,
          FaultKind.TOTAL_PARTITION,
          FaultKind.ONE_WAY_PARTITION,
          FaultKind.SLOW_WAY,
          FaultKind.LEADER_CRASH,
          FaultKind.WORKER_CRASH,
          FaultKind.WORKER_PAUSE,
          FaultKind.LEADER_PAUSE,
          FaultKind.CLOCK_JUMP);

  private static final Features KEPT = Features.of(Feature.KEPT_PAYLOADS);

  private static final WorkspaceId WORKSPACE = new WorkspaceId(0x5157, 1);

  /** Draws the options of a history. */
  static SwarmOptions of(Prng prng, Emphasis emphasis) {
    SwarmOptions random = of(prng);
    return switch (emphasis) {
      case NONE -> random;
      case COLLECTIONS_BESIDE_UPLOADS -> random.withCollectionsBesideUploads();
      case VISIBLE_EVERYWHERE -> random.visibleEverywhere();
      case FAILOVER -> random.withFailovers();
    };
  }

  private SwarmOptions withCollectionsBesideUploads() {
    return new SwarmOptions(
        new NetworkProfile(50 * Timeline.MS, 5 * Timeline.MS, 0, 10 * Timeline.MS),
        slowestSyncNs,
        2 * Timeline.MS,
        reconnectMinNs,
        Long.MAX_VALUE,
        faults,
        64,
        100,
        tailCacheBytes,
        4,
        false,
        maxUnsyncedEntries,
        IntentRateLimits.NONE,
        new SnapshotPolicy(20 * Timeline.MS, 1),
        WorkerSnapshots.every(20 * Timeline.MS),
        catchUpEntries,
        CollectionPolicy.of(2 * Timeline.MS, 0, 0),
        caches,
        Long.MAX_VALUE,
        Long.MAX_VALUE,
        dataPlane,
        false,
        false);
  }

  private SwarmOptions visibleEverywhere() {
    return new SwarmOptions(
        networkProfile,
        slowestSyncNs,
        longestThinkNs,
        reconnectMinNs,
        meanFaultNs,
        faults,
        windowEntries,
        maxPendingIntents,
        tailCacheBytes,
        processes,
        false,
        maxUnsyncedEntries,
        rateLimits,
        snapshots,
        workerSnapshots,
        catchUpEntries,
        collections,
        caches,
        retainBytes,
        stateMemory,
        dataPlane,
        true,
        false);
  }

  /** The disks are whole: what a leader does about those that are not is found in others. */
  private SwarmOptions withFailovers() {
    return new SwarmOptions(
        networkProfile,
        slowestSyncNs,
        longestThinkNs,
        reconnectMinNs,
        meanFaultNs,
        OF_WHOLE_DISKS,
        windowEntries,
        maxPendingIntents,
        tailCacheBytes,
        processes,
        false,
        maxUnsyncedEntries,
        rateLimits,
        snapshots,
        workerSnapshots,
        catchUpEntries,
        collections,
        caches,
        retainBytes,
        stateMemory,
        dataPlane,
        false,
        true);
  }

  /** Where changes are visible when their calls return. */
  VisibilityOptions visibility() {
    return new VisibilityOptions(
        everywhere ? Visibility.EVERYWHERE : Visibility.OWN,
        VISIBILITY_TIMEOUT_NS,
        VISIBILITY_LEASE_NS);
  }

  private static SwarmOptions of(Prng prng) {
    return new SwarmOptions(
        networkProfile(prng),
        prng.scale(100_000, 300 * Timeline.MS),
        prng.scale(2 * Timeline.MS, 100 * Timeline.MS),
        prng.scale(Timeline.MS, 50 * Timeline.MS),
        prng.oneIn(8) ? Long.MAX_VALUE : prng.scale(20 * Timeline.MS, 1_000 * Timeline.MS),
        someFaults(prng),
        (int) prng.scale(1, 64),
        (int) prng.scale(2, 100),
        prng.scale(200, 100_000),
        (int) prng.between(1, 4),
        prng.oneIn(4),
        (int) prng.scale(16, 200),
        prng.oneIn(4) ? rateLimits(prng) : IntentRateLimits.NONE,
        new SnapshotPolicy(
            prng.scale(20 * Timeline.MS, 1_000 * Timeline.MS), (int) prng.scale(1, 8)),
        WorkerSnapshots.every(prng.scale(20 * Timeline.MS, 1_000 * Timeline.MS)),
        prng.oneIn(3) ? Long.MAX_VALUE : prng.scale(20, 2_000),
        CollectionPolicy.of(
            prng.scale(5 * Timeline.MS, 1_000 * Timeline.MS),
            prng.oneIn(2) ? 0 : prng.scale(1, 100),
            prng.oneIn(2) ? Long.MAX_VALUE : prng.scale(Timeline.MS, 2_000 * Timeline.MS)),
        new CacheLimits(
            prng.oneIn(2) ? prng.scale(10 * Timeline.MS, 1_000 * Timeline.MS) : Long.MAX_VALUE,
            prng.oneIn(4) ? prng.scale(200, 20_000) : CacheLimits.NO_LIMIT),
        prng.oneIn(8) ? prng.scale(1, 100_000) : Long.MAX_VALUE,
        prng.oneIn(4) ? prng.scale(1, 100_000) : Long.MAX_VALUE,
        dataPlane(prng),
        false,
        false);
  }

  /** Mostly datagrams, some with so few repair symbols that many chunks have to be asked for. */
  private static DataPlaneSettings dataPlane(Prng prng) {
    DataPlaneSettings.Mode[] modes = {
      DataPlaneSettings.Mode.AUTO, DataPlaneSettings.Mode.STREAMS, DataPlaneSettings.Mode.DATAGRAMS
    };
    DataPlaneSettings.Mode mode =
        prng.oneIn(2) ? DataPlaneSettings.Mode.DATAGRAMS : modes[prng.below(modes.length)];
    long window = prng.scale(64, 4_096);
    DataPlaneSettings.Limits limits =
        new DataPlaneSettings.Limits(window, prng.scale(window, 8_192), prng.scale(64, 1 << 16));
    return new DataPlaneSettings(mode, 64, prng.oneIn(2) ? 0 : 0.5, limits);
  }

  /** How often the leader takes snapshots, and which ones it keeps. */
  SnapshotPolicy leaderSnapshots() {
    return new SnapshotPolicy(
        snapshots.intervalNs(), snapshots.retain(), snapshots.retainDaily(), retainBytes);
  }

  /**
   * Limits low enough to be reached, but which let the calls of all processes through within about
   * a second.
   */
  private static IntentRateLimits rateLimits(Prng prng) {
    return new IntentRateLimits(
        prng.scale(20, 500), prng.scale(1, 20), prng.oneIn(2) ? prng.scale(1 << 20, 1 << 24) : 0);
  }

  /** One network in four has different delays in the two directions; one in four loses packets. */
  private static NetworkProfile networkProfile(Prng prng) {
    long upNs = prng.scale(200_000, 50 * Timeline.MS);
    long downNs = prng.oneIn(4) ? prng.scale(200_000, 50 * Timeline.MS) : upNs;
    int lossPercent = prng.oneIn(4) ? prng.pick(LOSS_PERCENT) : 0;
    return new NetworkProfile(
        upNs, downNs, lossPercent, prng.scale(Timeline.MS, 400 * Timeline.MS));
  }

  private static List<FaultKind> someFaults(Prng prng) {
    List<FaultKind> all = List.of(FaultKind.values());
    int wanted = (int) prng.scale(1, all.size());
    List<FaultKind> some = new ArrayList<>();
    for (int i = 0; i < wanted; i++) {
      some.add(prng.pick(all));
    }
    return some;
  }

  /** Whether a worker can lose its leader in this history. If not, no call may end with EIO. */
  boolean losesTouch() {
    return failover
        || networkProfile.lossPercent() > 0
        || (meanFaultNs != Long.MAX_VALUE
            && faults.stream()
                .anyMatch(
                    fault ->
                        switch (fault) {
                          case BREAK,
                              PARTITION,
                              TOTAL_PARTITION,
                              ONE_WAY_PARTITION,
                              SLOW_WAY,
                              LEADER_CRASH,
                              LOG_EIO,
                              LOG_SYNC_FAILS,
                              CHUNK_SYNC_FAILS,
                              LOG_ROT,
                              CHUNK_ROT,
                              WORKER_CRASH,
                              FULL_WORKER,
                              WORKER_PAUSE,
                              LEADER_PAUSE ->
                              true;
                          case FULL_LOG, FULL_CHUNKS, WORKER_ROT, CLOCK_JUMP -> false;
                        }));
  }

  /** How chunks are sent; to all workers at once, if there is a group in this history. */
  private DataPlaneSettings dataPlane(SimGroup group) {
    return !group.isOn()
        ? dataPlane
        : new DataPlaneSettings(
            DataPlaneSettings.Mode.MULTICAST,
            dataPlane.symbolBytes(),
            dataPlane.repairOverhead(),
            dataPlane.limits(),
            group.bytesPerSecond());
  }

  LeaderConfig leader(SimGroup group) {
    return new LeaderConfig(
        WORKSPACE,
        100 * Timeline.MS,
        1_500 * Timeline.MS,
        2 * MUTATION_DEADLINE_NS,
        windowEntries,
        maxPendingIntents,
        maxUnsyncedEntries,
        rateLimits,
        tailCacheBytes,
        LOCK_TTL_NS,
        LOCK_GRACE_NS,
        OPEN_LEASE_TTL_NS,
        PRESENCE_LEASE_NS,
        Long.MAX_VALUE,
        catchUp(),
        WorkerQuotas.ofHeap(1L << 30),
        dataPlane(group),
        PlacementLimits.DEFAULT,
        NegotiatedParams.DEFAULT.with(keepsPayloads() ? KEPT : Features.NONE));
  }

  /**
   * Whether entries come back without the payloads that their workers have. Follows from another
   * option, so that no seed draws other options than it did before there was this one.
   */
  private boolean keepsPayloads() {
    return maxUnsyncedEntries % 4 != 0;
  }

  /** A worker that is moved to a snapshot loses touch with the leader. */
  private CatchUpLimits catchUp() {
    return losesTouch()
        ? new CatchUpLimits(catchUpEntries, catchUpEntries, MAX_LAG_NS, INSTALL_NS)
        : new CatchUpLimits(catchUpEntries, Long.MAX_VALUE, Long.MAX_VALUE, INSTALL_NS);
  }

  /** Some workers let mutations wait for the leader, others do not. */
  private static long partitionGraceNs(String name) {
    return name.hashCode() % 2 == 0 ? PARTITION_GRACE_NS : 0;
  }

  WorkerConfig worker(String name) {
    return new WorkerConfig(
        WORKSPACE,
        new WorkerId(name),
        LEADER_TIMEOUT_NS,
        LEADER_STALE_NS,
        MUTATION_DEADLINE_NS,
        partitionGraceNs(name),
        reconnectMinNs,
        300 * Timeline.MS,
        100 * Timeline.MS,
        Long.MAX_VALUE,
        Features.SUPPORTED);
  }

  /**
   * The longest time in which a mutation must be answered, even if its worker is paused meanwhile.
   */
  static long longestMutationNs() {
    return MUTATION_DEADLINE_NS + 2 * LONGEST_PAUSE_NS + 4 * TICK_NS;
  }

  /**
   * The longest time a mount may stay writable while its leader is silent: the timeout is counted
   * in ten slices, each of which may be noticed one tick late, plus a margin for pauses.
   */
  static long silenceToleranceNs() {
    return LEADER_TIMEOUT_NS + 16 * TICK_NS;
  }
}
