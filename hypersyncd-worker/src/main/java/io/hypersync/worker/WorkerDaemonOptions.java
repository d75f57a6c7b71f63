package io.hypersync.worker;

import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.runtime.background.BackgroundTurns;
import io.hypersync.wire.pki.Identity;
import io.hypersync.worker.cache.CacheLimits;
import io.hypersync.worker.takeover.TakeoverOptions;
import io.hypersync.worker.vfs.CachePolicy;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a worker daemon is started with.
 *
 * @param workspace the workspace to join
 * @param worker the worker's id, as in its certificate
 * @param identity the certificate shown to the leader, and the authority that the leader's must be
 *     from
 * @param leaderAddresses where the leader may be, at least one; tried in this order. Unresolved, so
 *     that a name is looked up at each attempt
 * @param mountPoint where the workspace is mounted, absolute; an empty directory, or none yet
 * @param localDir the scratch directory beside the mount, which is not replicated; it exists
 *     (hypersync.md 3)
 * @param stateDir the state directory; it exists
 * @param mutationDeadline how long a mutation whose outcome is unknown blocks its caller;
 *     MUTATION_DEADLINE (hypersync.md 6.4)
 * @param partitionGrace how long new mutations wait for a leader that was lost, before EROFS
 * @param leaderTimeout how long the leader may be silent before the mount turns read-only
 * @param leaderStale how long the leader may be silent before it is asked for its commit index;
 *     LEADER_STALE_MS (6.2)
 * @param cache what the kernel may cache, and what readers wait for
 * @param inotify interval between scans for inotify watches of local processes, which then get
 *     events for changes of other workers; empty to report none
 * @param backend who stands between the kernel and the filesystem of the mount
 * @param suid whether set-id bits are honoured on this mount
 * @param dev whether device nodes on this mount can be opened
 * @param identifyAgents whether the agent is found that a calling process belongs to (8.1)
 * @param snapshotInterval how often the worker takes a snapshot for its next start, if anything has
 *     changed; SNAPSHOT_INTERVAL (13.1)
 * @param cacheLimits how much disk its chunks may take, and how often dead ones are removed (14.2)
 * @param stateMemory how much heap those parts of the state may take that are in pages on disk, in
 *     bytes; {@code Long.MAX_VALUE} to keep all of it in memory
 * @param multicast whether the worker listens to what the leader sends to all workers
 * @param multicastInterface the interface that it listens on; empty for the one that reaches the
 *     leader
 * @param takeover how the mount outlives this worker's process; empty if it ends with it
 * @param background with whom a standby takes turns in the background
 */
public record WorkerDaemonOptions(
    WorkspaceId workspace,
    WorkerId worker,
    Identity identity,
    List<InetSocketAddress> leaderAddresses,
    Path mountPoint,
    Path localDir,
    Path stateDir,
    Duration mutationDeadline,
    Duration partitionGrace,
    Duration leaderTimeout,
    Duration leaderStale,
    CachePolicy cache,
    Optional<Duration> inotify,
    FuseBackend backend,
    boolean suid,
    boolean dev,
    boolean identifyAgents,
    Duration snapshotInterval,
    CacheLimits cacheLimits,
    long stateMemory,
    boolean multicast,
    String multicastInterface,
    Optional<TakeoverOptions> takeover,
    BackgroundTurns background) {
  /** The addresses do not change. */
  public WorkerDaemonOptions {
    leaderAddresses = List.copyOf(leaderAddresses);
  }

  /** The same, with what has changed since the worker was started. */
  public WorkerDaemonOptions tuned(WorkerTuning changed) {
    return with(changed, background);
  }

  /** The same, for a standby that takes turns with others in the background. */
  public WorkerDaemonOptions withBackground(BackgroundTurns turns) {
    return with(
        new WorkerTuning(
            partitionGrace.toNanos(),
            leaderTimeout.toNanos(),
            leaderStale.toNanos(),
            snapshotInterval.toNanos()),
        turns);
  }

  private WorkerDaemonOptions with(WorkerTuning changed, BackgroundTurns turns) {
    return new WorkerDaemonOptions(
        workspace,
        worker,
        identity,
        leaderAddresses,
        mountPoint,
        localDir,
        stateDir,
        mutationDeadline,
        Duration.ofNanos(changed.partitionGraceNs()),
        Duration.ofNanos(changed.leaderTimeoutNs()),
        Duration.ofNanos(changed.leaderStaleNs()),
        cache,
        inotify,
        backend,
        suid,
        dev,
        identifyAgents,
        Duration.ofNanos(changed.snapshotIntervalNs()),
        cacheLimits,
        stateMemory,
        multicast,
        multicastInterface,
        takeover,
        turns);
  }
}
