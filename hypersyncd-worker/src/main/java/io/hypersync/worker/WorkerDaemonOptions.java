package io.hypersync.worker;

import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.wire.pki.Identity;
import io.hypersync.worker.vfs.CachePolicy;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * What a worker is started with.
 *
 * @param workspace the workspace it joins
 * @param worker its name, as in its certificate
 * @param identity what it shows to the leader, and trusts
 * @param leaderAddress where the leader is; unresolved, since names may change their meaning
 * @param mountPoint where it mounts the workspace, absolute: an empty folder, or none yet
 * @param localDir the scratch folder beside the mount, which is not replicated and exists
 *     (hypersync.md 3)
 * @param stateDir where it keeps its copy; exists
 * @param mutationDeadline how long a mutation whose fate is unknown blocks its caller;
 *     MUTATION_DEADLINE (hypersync.md 6.4)
 * @param leaderTimeout how long the leader may be silent before the mount turns read-only
 * @param leaderStale how long the leader may be silent before it is asked; LEADER_STALE_MS (6.2)
 * @param cache what the kernel may keep and what readers wait for
 * @param inotify how often to look for watches of local processes, which then hear of what other
 *     machines do; empty for never
 * @param suid whether set-id bits of files count on this mount
 * @param dev whether device nodes on this mount can be opened
 */
public record WorkerDaemonOptions(
    WorkspaceId workspace,
    WorkerId worker,
    Identity identity,
    InetSocketAddress leaderAddress,
    Path mountPoint,
    Path localDir,
    Path stateDir,
    Duration mutationDeadline,
    Duration leaderTimeout,
    Duration leaderStale,
    CachePolicy cache,
    Optional<Duration> inotify,
    boolean suid,
    boolean dev) {}
