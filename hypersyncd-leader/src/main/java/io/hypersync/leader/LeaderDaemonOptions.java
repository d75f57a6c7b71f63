package io.hypersync.leader;

import io.hypersync.model.id.WorkspaceId;
import io.hypersync.wire.pki.Identity;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;

/**
 * What a leader is started with.
 *
 * @param workspace the workspace it leads
 * @param workspaceName what people call the workspace
 * @param identity what it shows to workers, and trusts
 * @param bindAddress where it listens (UDP), resolved; port 0 has the system choose one
 * @param stateDir where the op log and the chunks are; created if it is not there
 * @param batchMaxOps the most operations of one flush; BATCH_MAX_OPS (hypersync.md 6.3.1)
 * @param batchMaxBytes the most payload bytes of one flush; BATCH_MAX_BYTES
 * @param maxPendingIntents MAX_PENDING_INTENTS, of which each worker has a share: beyond it intents
 *     get EAGAIN
 * @param rateLimits how fast each worker may send intents (hypersync.md 12.5)
 * @param windowEntries how far the log is sent ahead of a worker's report (hypersync.md 12.4)
 * @param lockTtl how long a lock lives without being renewed (hypersync.md 10.2)
 * @param lockGrace how much longer it can still be renewed; LOCK_GRACE_MS
 * @param openLeaseTtl how long a worker's open files stay protected when it is not heard from, and
 *     how long a file without a name stays at least; OPEN_LEASE_TTL (hypersync.md 6.8)
 * @param stateHeapShare which part of the largest heap the filesystem may take, 0 to 1
 * @param chunkMax workers cut writes into chunks of so many bytes (hypersync.md 9.1)
 * @param inlineThreshold payloads up to so many bytes travel in the log; INLINE_THRESHOLD (9.2)
 */
public record LeaderDaemonOptions(
    WorkspaceId workspace,
    String workspaceName,
    Identity identity,
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
    double stateHeapShare,
    int chunkMax,
    int inlineThreshold) {}
