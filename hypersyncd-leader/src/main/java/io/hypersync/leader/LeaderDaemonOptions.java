package io.hypersync.leader;

import io.hypersync.leader.collection.CollectionPolicy;
import io.hypersync.leader.dataplane.DataPlaneSettings;
import io.hypersync.leader.leadership.LeaderSeat;
import io.hypersync.leader.mail.AgentMailOptions;
import io.hypersync.leader.placement.PlacementLimits;
import io.hypersync.leader.reservation.ArchiveOptions;
import io.hypersync.leader.retention.LogRetention;
import io.hypersync.leader.scrub.ScrubPolicy;
import io.hypersync.leader.syncstandby.SyncStandbyOptions;
import io.hypersync.leader.visibility.VisibilityOptions;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.runtime.background.BackgroundTurns;
import io.hypersync.snapshot.schedule.SnapshotPolicy;
import io.hypersync.wire.pki.Identity;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Startup options of a leader.
 *
 * @param workspace the workspace it leads
 * @param workspaceName the workspace's human-readable name
 * @param identity its certificate and key, and the authority that it trusts
 * @param authorityDir where the authority's key is, and the record of what it has issued
 * @param bindAddress the UDP address it listens on, resolved; port 0 lets the system choose one
 * @param stateDir directory of the op log and the chunks; created if missing
 * @param batchMaxOps the most operations of one flush; BATCH_MAX_OPS (hypersync.md 6.3.1)
 * @param batchMaxBytes the most payload bytes of one flush; BATCH_MAX_BYTES
 * @param maxPendingIntents MAX_PENDING_INTENTS, shared dynamically by the workers: intents beyond a
 *     worker's share get EAGAIN
 * @param rateLimits limits of each worker's intents (hypersync.md 12.5)
 * @param windowEntries how many entries are sent beyond the applied index that a worker has
 *     reported (hypersync.md 12.4)
 * @param lockTtl {@code lock_ttl}: after this long without renewal a worker is warned (hypersync.md
 *     10.2); its locks are freed {@code lockGrace} later
 * @param lockGrace how much longer it can still be renewed; LOCK_GRACE_MS
 * @param openLeaseTtl how long open files of a silent worker stay protected, and the least time
 *     that an orphan is kept; OPEN_LEASE_TTL (hypersync.md 6.8)
 * @param presenceLease how long a worker without a connection counts as there, and can take up its
 *     session again
 * @param stateHeapShare the part of the maximum heap that the filesystem state may take, 0 to 1
 * @param stateMemory how much heap those parts of it may take that are in pages on disk, in bytes;
 *     {@code Long.MAX_VALUE} to keep all of it in memory
 * @param chunkMax the largest chunk that workers cut writes into, in bytes (hypersync.md 9.1)
 * @param inlineThreshold payloads of up to this many bytes travel in the log; INLINE_THRESHOLD
 *     (9.2)
 * @param snapshots how often snapshots are taken, and how long they are kept (hypersync.md 14.1)
 * @param collections when dead chunks are collected (hypersync.md 14.2)
 * @param scrubs when all that is stored is read, and how fast
 * @param catchUp when workers get a snapshot instead of the log (hypersync.md 13.2, 12.4)
 * @param dataPlane how chunks are sent to workers (12.2)
 * @param multicast where chunks go that are for all workers, if the data plane has it so
 * @param logRetention how much of the log is kept behind a snapshot (14.1)
 * @param placement what a worker must stay below to get agents (15.2)
 * @param reservations where the reservations of agents are read (10.3)
 * @param agentMail the server that is told of hazards (11.2), and asked for reservations if there
 *     is no archive
 * @param enforcesReservations whether an agent gets EACCES where another one holds alone (10.3)
 * @param visibility where changes are visible when their calls return
 * @param syncStandbys which standbys acknowledgements wait for
 * @param background with whom this leader takes turns in the background
 * @param seat whether this process may lead, and on which state
 */
public record LeaderDaemonOptions(
    WorkspaceId workspace,
    String workspaceName,
    Identity identity,
    Path authorityDir,
    InetSocketAddress bindAddress,
    Path stateDir,
    int batchMaxOps,
    long batchMaxBytes,
    int maxPendingIntents,
    IntentRateLimits rateLimits,
    int windowEntries,
    Duration lockTtl,
    Duration lockGrace,
    Duration openLeaseTtl,
    Duration presenceLease,
    double stateHeapShare,
    long stateMemory,
    int chunkMax,
    int inlineThreshold,
    SnapshotPolicy snapshots,
    CollectionPolicy collections,
    ScrubPolicy scrubs,
    CatchUpLimits catchUp,
    DataPlaneSettings dataPlane,
    MulticastOptions multicast,
    LogRetention logRetention,
    PlacementLimits placement,
    ArchiveOptions reservations,
    AgentMailOptions agentMail,
    boolean enforcesReservations,
    VisibilityOptions visibility,
    SyncStandbyOptions syncStandbys,
    BackgroundTurns background,
    LeaderSeat seat) {
  /** The same, with this part of the maximum heap for the filesystem state. */
  public LeaderDaemonOptions withStateHeapShare(double share) {
    return with(share, background, seat);
  }

  /** The same, for a process that leads by this seat. */
  public LeaderDaemonOptions withSeat(LeaderSeat taken) {
    return with(stateHeapShare, background, taken);
  }

  /** The same, for a process that takes turns with others in the background. */
  public LeaderDaemonOptions withBackground(BackgroundTurns turns) {
    return with(stateHeapShare, turns, seat);
  }

  private LeaderDaemonOptions with(double share, BackgroundTurns turns, LeaderSeat taken) {
    return new LeaderDaemonOptions(
        workspace,
        workspaceName,
        identity,
        authorityDir,
        bindAddress,
        stateDir,
        batchMaxOps,
        batchMaxBytes,
        maxPendingIntents,
        rateLimits,
        windowEntries,
        lockTtl,
        lockGrace,
        openLeaseTtl,
        presenceLease,
        share,
        stateMemory,
        chunkMax,
        inlineThreshold,
        snapshots,
        collections,
        scrubs,
        catchUp,
        dataPlane,
        multicast,
        logRetention,
        placement,
        reservations,
        agentMail,
        enforcesReservations,
        visibility,
        syncStandbys,
        turns,
        taken);
  }
}
