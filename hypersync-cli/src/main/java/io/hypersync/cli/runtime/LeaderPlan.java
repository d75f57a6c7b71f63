package io.hypersync.cli.runtime;

import io.hypersync.chunkstore.CollectionOptions;
import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.config.Role;
import io.hypersync.cli.config.Settings;
import io.hypersync.cli.config.Switch;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.leader.CatchUpLimits;
import io.hypersync.leader.IntentRateLimits;
import io.hypersync.leader.LeaderDaemonOptions;
import io.hypersync.leader.LeaderTuning;
import io.hypersync.leader.MulticastOptions;
import io.hypersync.leader.collection.CollectionPolicy;
import io.hypersync.leader.dataplane.DataPlaneSettings;
import io.hypersync.leader.leadership.LeaderSeat;
import io.hypersync.leader.placement.PlacementLimits;
import io.hypersync.leader.reservation.ArchiveOptions;
import io.hypersync.leader.retention.LogRetention;
import io.hypersync.leader.scrub.ScrubPolicy;
import io.hypersync.leader.syncstandby.SyncStandbyOptions;
import io.hypersync.leader.visibility.Visibility;
import io.hypersync.leader.visibility.VisibilityOptions;
import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.background.BackgroundTurns;
import io.hypersync.snapshot.schedule.SnapshotPolicy;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

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
    InetSocketAddress bindAddress = resolve(configuration.get(Settings.LEADER_BIND_ADDRESS));
    return new LeaderDaemonOptions(
        workspace.id(),
        workspace.name().text(),
        workspace.leaderIdentity(),
        workspace.authorityDir(),
        bindAddress,
        stateDir(workspace, configuration),
        Math.toIntExact(configuration.get(Settings.LEADER_BATCH_MAX_OPS)),
        configuration.get(Settings.LEADER_BATCH_MAX_BYTES),
        Math.toIntExact(configuration.get(Settings.LEADER_MAX_PENDING_INTENTS)),
        rateLimits(configuration),
        Math.toIntExact(configuration.get(Settings.REPLICATION_MAX_INFLIGHT_ENTRIES)),
        configuration.get(Settings.LEADER_LOCK_TTL),
        configuration.get(Settings.LEADER_LOCK_GRACE),
        configuration.get(Settings.LEADER_OPEN_LEASE_TTL),
        configuration.get(Settings.LEADER_PRESENCE_LEASE),
        configuration.get(Settings.LEADER_STATE_HEAP_SHARE),
        StateMemory.bytes(configuration.get(Settings.LEADER_STATE_MEMORY)),
        Math.toIntExact(configuration.get(Settings.LEADER_CHUNK_MAX)),
        Math.toIntExact(configuration.get(Settings.LEADER_INLINE_THRESHOLD)),
        snapshots(configuration),
        collections(configuration, CollectionOptions.DEFAULT),
        new ScrubPolicy(
            configuration.get(Settings.SCRUB_INTERVAL).toNanos(),
            configuration.get(Settings.SCRUB_RATE)),
        new CatchUpLimits(
            configuration.get(Settings.SNAPSHOTS_CATCHUP_LOG_THRESHOLD_ENTRIES),
            configuration.get(Settings.SNAPSHOTS_MAX_LAG_ENTRIES),
            configuration.get(Settings.SNAPSHOTS_MAX_LAG_TIME).toNanos(),
            CatchUpLimits.DEFAULT.installNs()),
        new DataPlaneSettings(
            configuration.get(Settings.REPLICATION_DATA_PLANE),
            Math.toIntExact(configuration.get(Settings.REPLICATION_SYMBOL_SIZE)),
            configuration.get(Settings.REPLICATION_REPAIR_OVERHEAD),
            DataPlaneSettings.Limits.DEFAULT,
            configuration.get(Settings.REPLICATION_MULTICAST_RATE)),
        multicast(configuration, bindAddress),
        new LogRetention(
            configuration.get(Settings.LOG_RETAIN).toNanos(),
            configuration.get(Settings.LOG_RETAIN_ENTRIES),
            configuration.get(Settings.LOG_MAX_BYTES)),
        placement(configuration),
        new ArchiveOptions(
            configuration.get(Settings.AGENT_MAIL_ARCHIVE), mounts(workspace, configuration)),
        AgentMailPlan.options(configuration, mounts(workspace, configuration)),
        configuration.get(Settings.AGENT_MAIL_ENFORCE) == Switch.ON,
        new VisibilityOptions(
            configuration.get(Settings.LEADER_VISIBILITY),
            configuration.get(Settings.LEADER_VISIBILITY_TIMEOUT).toNanos(),
            configuration.get(Settings.LEADER_VISIBILITY_LEASE).toNanos()),
        syncStandbys(configuration),
        BackgroundTurns.ALONE,
        LeaderSeat.ALONE);
  }

  /**
   * Returns what a leader that runs takes up.
   *
   * @param visibility where changes are to be visible: a command may have set something else
   * @param segments which segments are worth a collection; no setting says that
   */
  public static LeaderTuning tuning(
      Configuration configuration, Visibility visibility, CollectionOptions segments) {
    return new LeaderTuning(
        rateLimits(configuration),
        snapshots(configuration),
        collections(configuration, segments),
        placement(configuration),
        visibility);
  }

  /**
   * Looks for what would keep a leader from starting.
   *
   * @throws UserError if an address cannot be resolved, or something is not said that is needed
   */
  static void check(Configuration configuration) {
    var _ = multicast(configuration, resolve(configuration.get(Settings.LEADER_BIND_ADDRESS)));
    var _ = syncStandbys(configuration);
  }

  private static IntentRateLimits rateLimits(Configuration configuration) {
    return new IntentRateLimits(
        configuration.get(Settings.LEADER_INTENT_RATE_LIMIT_OPS),
        configuration.get(Settings.LEADER_INTENT_BURST_OPS),
        configuration.get(Settings.LEADER_INTENT_RATE_LIMIT_BYTES));
  }

  private static SnapshotPolicy snapshots(Configuration configuration) {
    return new SnapshotPolicy(
        configuration.get(Settings.SNAPSHOTS_INTERVAL).toNanos(),
        Math.toIntExact(configuration.get(Settings.SNAPSHOTS_RETAIN)),
        Math.toIntExact(configuration.get(Settings.SNAPSHOTS_RETAIN_DAILY)),
        configuration.get(Settings.SNAPSHOTS_RETAIN_BYTES));
  }

  private static CollectionPolicy collections(
      Configuration configuration, CollectionOptions segments) {
    return new CollectionPolicy(
        configuration.get(Settings.GC_INTERVAL).toNanos(),
        configuration.get(Settings.GC_REPLAY_ENTRIES),
        configuration.get(Settings.GC_REPLAY_TIME).toNanos(),
        segments);
  }

  private static PlacementLimits placement(Configuration configuration) {
    return PlacementLimits.of(
        configuration.get(Settings.SCHEDULER_MAX_SYNC_LAG_MS),
        configuration.get(Settings.SCHEDULER_MAX_COMMIT_RTT_MS),
        Math.toIntExact(configuration.get(Settings.SCHEDULER_MAX_AGENTS_PER_WORKER)));
  }

  private static SyncStandbyOptions syncStandbys(Configuration configuration) {
    if (configuration.get(Settings.LEADER_SYNC_STANDBY) == 0) {
      return SyncStandbyOptions.OFF;
    }
    List<WorkerId> names = configuration.get(Settings.LEADER_STANDBYS);
    if (names.isEmpty()) {
      throw new UserError(
          "sync_standby = 1, and no standby is named",
          "Name it as its token does: standbys = \"spare\" in [hypersync.leader]",
          UserError.USAGE);
    }
    return new SyncStandbyOptions(
        names,
        configuration.get(Settings.LEADER_DEGRADE),
        configuration.get(Settings.LEADER_DEGRADE_AFTER).toNanos());
  }

  /** The paths by which agents know the workspace: what is said, and where it is usually. */
  private static List<String> mounts(WorkspaceDirectory workspace, Configuration configuration) {
    return Stream.of(
            configuration.get(Settings.AGENT_MAIL_MOUNT_PATHS).stream(),
            configuration.findPath(Settings.WORKER_MOUNT).map(Path::toString).stream(),
            Stream.of("/ntmfs/ws/" + workspace.name().text()))
        .flatMap(paths -> paths)
        .distinct()
        .toList();
  }

  /** Returns the directory with the log and chunks of a workspace's leader. */
  public static Path stateDir(WorkspaceDirectory workspace, Configuration configuration) {
    return configuration.findPath(Settings.LEADER_STATE_DIR).orElseGet(workspace::stateDir);
  }

  private static MulticastOptions multicast(
      Configuration configuration, InetSocketAddress bindAddress) {
    String on = configuration.get(Settings.REPLICATION_MULTICAST_INTERFACE);
    boolean isMulticast =
        configuration.get(Settings.REPLICATION_DATA_PLANE) == DataPlaneSettings.Mode.MULTICAST;
    if (isMulticast && on.isEmpty() && bindAddress.getAddress().isAnyLocalAddress()) {
      throw new UserError(
          Settings.REPLICATION_DATA_PLANE.key()
              + " is \"multicast\", and the leader listens on all addresses: on which network are"
              + " the workers?",
          "Name its interface: --set "
              + Settings.REPLICATION_MULTICAST_INTERFACE.key()
              + "=<name>, or an address of it: --set "
              + Settings.LEADER_BIND_ADDRESS.key()
              + "=<address>:<port>",
          UserError.USAGE);
    }
    return new MulticastOptions(
        configuration.get(Settings.REPLICATION_MULTICAST_GROUP).resolve(), on);
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
