package io.hypersync.cli.runtime;

import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.config.Role;
import io.hypersync.cli.config.Settings;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.leader.CatchUpLimits;
import io.hypersync.leader.IntentRateLimits;
import io.hypersync.leader.LeaderDaemonOptions;
import io.hypersync.leader.collection.CollectionPolicy;
import io.hypersync.leader.retention.LogRetention;
import io.hypersync.leader.scrub.ScrubPolicy;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.snapshot.schedule.SnapshotPolicy;
import java.net.InetSocketAddress;
import java.nio.file.Path;

/** Turns a configuration into the options of a leader. */
public final class LeaderPlan {
  private LeaderPlan() {}

  /**
   * Returns the leader's options.
   *
   * @throws UserError if the configuration does not allow a leader here, or an address cannot be
   *     resolved
   */
  public static LeaderDaemonOptions options(
      WorkspaceDirectory workspace, Configuration configuration) {
    Enabling.check(configuration);
    if (configuration.find(Settings.ROLE).filter(Role.WORKER::equals).isPresent()) {
      throw new UserError(
          "hypersync.role is \"worker\": this machine is not to run a leader",
          "If it is, say so: --set hypersync.role=leader",
          UserError.USAGE);
    }
    return new LeaderDaemonOptions(
        workspace.id(),
        workspace.name().text(),
        workspace.leaderIdentity(),
        resolve(configuration.get(Settings.LEADER_BIND_ADDRESS)),
        stateDir(workspace, configuration),
        Math.toIntExact(configuration.get(Settings.LEADER_BATCH_MAX_OPS)),
        configuration.get(Settings.LEADER_BATCH_MAX_BYTES),
        Math.toIntExact(configuration.get(Settings.LEADER_MAX_PENDING_INTENTS)),
        new IntentRateLimits(
            configuration.get(Settings.LEADER_INTENT_RATE_LIMIT_OPS),
            configuration.get(Settings.LEADER_INTENT_BURST_OPS),
            configuration.get(Settings.LEADER_INTENT_RATE_LIMIT_BYTES)),
        Math.toIntExact(configuration.get(Settings.REPLICATION_MAX_INFLIGHT_ENTRIES)),
        configuration.get(Settings.LEADER_LOCK_TTL),
        configuration.get(Settings.LEADER_LOCK_GRACE),
        configuration.get(Settings.LEADER_OPEN_LEASE_TTL),
        configuration.get(Settings.LEADER_STATE_HEAP_SHARE),
        StateMemory.bytes(configuration.get(Settings.LEADER_STATE_MEMORY)),
        Math.toIntExact(configuration.get(Settings.LEADER_CHUNK_MAX)),
        Math.toIntExact(configuration.get(Settings.LEADER_INLINE_THRESHOLD)),
        new SnapshotPolicy(
            configuration.get(Settings.SNAPSHOTS_INTERVAL).toNanos(),
            Math.toIntExact(configuration.get(Settings.SNAPSHOTS_RETAIN)),
            configuration.get(Settings.SNAPSHOTS_RETAIN_BYTES)),
        CollectionPolicy.of(
            configuration.get(Settings.GC_INTERVAL).toNanos(),
            configuration.get(Settings.GC_REPLAY_ENTRIES),
            configuration.get(Settings.GC_REPLAY_TIME).toNanos()),
        new ScrubPolicy(
            configuration.get(Settings.SCRUB_INTERVAL).toNanos(),
            configuration.get(Settings.SCRUB_RATE)),
        new CatchUpLimits(
            configuration.get(Settings.SNAPSHOTS_CATCHUP_LOG_THRESHOLD_ENTRIES),
            configuration.get(Settings.SNAPSHOTS_MAX_LAG_ENTRIES),
            configuration.get(Settings.SNAPSHOTS_MAX_LAG_TIME).toNanos(),
            CatchUpLimits.DEFAULT.installNs()),
        new LogRetention(
            configuration.get(Settings.LOG_RETAIN).toNanos(),
            configuration.get(Settings.LOG_RETAIN_ENTRIES),
            configuration.get(Settings.LOG_MAX_BYTES)));
  }

  /** Returns the directory with the log and chunks of a workspace's leader. */
  public static Path stateDir(WorkspaceDirectory workspace, Configuration configuration) {
    return configuration.findPath(Settings.LEADER_STATE_DIR).orElseGet(workspace::stateDir);
  }

  private static InetSocketAddress resolve(HostPort address) {
    InetSocketAddress resolved = address.resolve();
    if (resolved.isUnresolved()) {
      throw new UserError(
          Settings.LEADER_BIND_ADDRESS.key() + ": no address is known for " + address.host(),
          "Give an IP address of this machine, or 0.0.0.0 for all of them.");
    }
    return resolved;
  }
}
