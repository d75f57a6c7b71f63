package io.hypersync.cli.config;

import io.hypersync.leader.CatchUpLimits;
import io.hypersync.leader.collection.CollectionPolicy;
import io.hypersync.leader.dataplane.DataPlaneSettings;
import io.hypersync.leader.scrub.ScrubPolicy;
import io.hypersync.leader.syncstandby.Degrade;
import io.hypersync.leader.syncstandby.SyncStandbyOptions;
import io.hypersync.leader.visibility.Visibility;
import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.message.NegotiatedParams;
import io.hypersync.worker.FuseBackend;
import io.hypersync.worker.cache.CacheLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * All settings. Each is declared with its name, type and range, default and one sentence of
 * documentation.
 */
public final class Settings {
  private static final List<Setting<?>> ALL = new ArrayList<>();

  private static final String ROOT = "hypersync";
  private static final String LEADER = "hypersync.leader";
  private static final String WORKER = "hypersync.worker";
  private static final String REPLICATION = "hypersync.replication";
  private static final String SNAPSHOTS = "hypersync.snapshots";
  private static final String LOG = "hypersync.log";
  private static final String GC = "hypersync.gc";
  private static final String SCRUB = "hypersync.scrub";
  private static final String BACKGROUND = "hypersync.background";
  private static final String AGENT_MAIL = "hypersync.agent_mail";
  private static final String SCHEDULER = "hypersync.scheduler";
  private static final String METRICS = "hypersync.metrics";

  /** That of the daemons; {@code hypersync.log} is the log of the workspace. */
  private static final String LOGGING = "hypersync.logging";

  private static final Map<String, String> RETIRED =
      Map.of(
          LEADER + ".batch_window",
          "it has no effect any more: a flush takes what came during the one before, and nobody"
              + " waits for more; remove it (docs/decisions/020-what-the-wire-leaves-out.md)");

  private static final long MAX_COUNT = 1_000_000_000L;
  private static final Duration ONE_HOUR = Duration.ofHours(1);
  private static final Duration ONE_DAY = Duration.ofDays(1);

  /** Whether the daemons may start at all. */
  public static final Setting<Boolean> ENABLED =
      used(ROOT, "enabled", ValueType.bool(), true, "Whether the daemons may start at all.");

  public static final Setting<Role> ROLE =
      used(
          ROOT,
          "role",
          ValueType.role(),
          null,
          "What this machine is; \"worker\" keeps a leader from being started on it.");

  /** For how long a daemon practises before it serves. */
  public static final Setting<Duration> PRACTICE =
      used(
          ROOT,
          "practice",
          ValueType.duration(Duration.ZERO, Duration.ofSeconds(10)),
          Duration.ofSeconds(2),
          "How long a daemon that starts practises at most, on files in memory, so that its first"
              + " calls are not slow; 0s for not.");

  public static final Setting<HostPort> LEADER_BIND_ADDRESS =
      used(
          LEADER,
          "bind_address",
          ValueType.address(),
          new HostPort("0.0.0.0", 7890),
          "Where the leader listens for workers (UDP).");

  /** Where the leader keeps the op log and the chunks. */
  public static final Setting<Path> LEADER_STATE_DIR =
      used(
          LEADER,
          "state_dir",
          ValueType.path(),
          null,
          "Where the leader keeps the op log and the chunks; \"state\" beside this file by"
              + " default.");

  /** The most operations of one flush; BATCH_MAX_OPS. */
  public static final Setting<Long> LEADER_BATCH_MAX_OPS =
      used(
          LEADER,
          "batch_max_ops",
          ValueType.integer(1, 100_000),
          100L,
          "The most operations that share one flush to disk.");

  /** The most payload of one flush; BATCH_MAX_BYTES. */
  public static final Setting<Long> LEADER_BATCH_MAX_BYTES =
      used(
          LEADER,
          "batch_max_bytes",
          ValueType.size(4096, 1L << 30),
          1L << 20,
          "The most payload that shares one flush to disk.");

  /** The largest chunk that workers cut written data into. */
  public static final Setting<Long> LEADER_CHUNK_MAX =
      used(
          LEADER,
          "chunk_max",
          ValueType.size(NegotiatedParams.MIN_CHUNK_MAX, NegotiatedParams.MAX_CHUNK_MAX),
          (long) NegotiatedParams.DEFAULT.chunkMax(),
          "The size of the pieces that files are kept in; workers learn of it when they connect.");

  /** The largest write whose bytes are carried in the log entry itself; INLINE_THRESHOLD. */
  public static final Setting<Long> LEADER_INLINE_THRESHOLD =
      used(
          LEADER,
          "inline_threshold",
          ValueType.size(0, NegotiatedParams.MAX_INLINE_THRESHOLD),
          (long) NegotiatedParams.DEFAULT.inlineThreshold(),
          "Writes up to this size are kept in the log itself and need no second flush; workers"
              + " learn of it when they connect.");

  /** The most intents of all workers that may wait at the leader; MAX_PENDING_INTENTS. */
  public static final Setting<Long> LEADER_MAX_PENDING_INTENTS =
      used(
          LEADER,
          "max_pending_intents",
          ValueType.integer(1, 10_000_000),
          10_000L,
          "How many operations may wait at the leader; each worker has a share, beyond which its"
              + " calls take longer.");

  /** The most intents per second and worker; INTENT_RATE_LIMIT_OPS. */
  public static final Setting<Long> LEADER_INTENT_RATE_LIMIT_OPS =
      changeable(
          LEADER,
          "intent_rate_limit_ops",
          ValueType.integer(0, 10_000_000),
          0L,
          "How many operations each worker may make in a second; 0 for no limit.");

  /** The most intents that may come at once within that rate; INTENT_BURST_OPS. */
  public static final Setting<Long> LEADER_INTENT_BURST_OPS =
      changeable(
          LEADER,
          "intent_burst_ops",
          ValueType.integer(1, 10_000_000),
          100L,
          "How many operations a worker may make at once after a pause, if there is a limit.");

  /** The most bytes per second and worker; INTENT_RATE_LIMIT_BYTES. */
  public static final Setting<Long> LEADER_INTENT_RATE_LIMIT_BYTES =
      changeable(
          LEADER,
          "intent_rate_limit_bytes",
          ValueType.size(0, 8L << 30),
          0L,
          "How many bytes each worker may write in a second, such as \"50MB\"; \"0B\" for no"
              + " limit.");

  /** How long a lock lives without being renewed. */
  public static final Setting<Duration> LEADER_LOCK_TTL =
      used(
          LEADER,
          "lock_ttl",
          ValueType.duration(Duration.ofMillis(100), ONE_HOUR),
          Duration.ofSeconds(5),
          "After this long without renewal a worker is warned; its locks are freed lock_grace"
              + " later.");

  /** For how long after its TTL a lock is still held and can be renewed; LOCK_GRACE_MS. */
  public static final Setting<Duration> LEADER_LOCK_GRACE =
      used(
          LEADER,
          "lock_grace",
          ValueType.duration(Duration.ofMillis(100), ONE_HOUR),
          Duration.ofSeconds(2),
          "How much longer the lock can still be renewed, before it is freed.");

  /** How long orphans are kept for a worker that is silent; OPEN_LEASE_TTL. */
  public static final Setting<Duration> LEADER_OPEN_LEASE_TTL =
      used(
          LEADER,
          "open_lease_ttl",
          ValueType.duration(Duration.ofMillis(500), ONE_HOUR),
          Duration.ofSeconds(15),
          "How long deleted files are kept at least, and for a worker that has them open and is not"
              + " heard from.");

  /** How long a worker without a connection counts as there. */
  public static final Setting<Duration> LEADER_PRESENCE_LEASE =
      used(
          LEADER,
          "presence_lease",
          ValueType.duration(Duration.ofSeconds(1), ONE_HOUR),
          Duration.ofSeconds(90),
          "How long a worker that is not connected still counts as there, and can take up its"
              + " session again; then peers and events say that it has left.");

  /** Where a change is visible when its call returns. */
  public static final Setting<Visibility> LEADER_VISIBILITY =
      changeable(
          LEADER,
          "visibility",
          ValueType.choice(Visibility.class),
          Visibility.OWN,
          "Where a change is visible when its call returns: on the mount that it was made on, or on"
              + " every mount that can write. ./hypersync visibility changes it until the leader is"
              + " started again.");

  /** How long a call waits for a worker that does not keep up. */
  public static final Setting<Duration> LEADER_VISIBILITY_TIMEOUT =
      used(
          LEADER,
          "visibility_timeout",
          ValueType.duration(Duration.ofMillis(100), Duration.ofSeconds(10)),
          Duration.ofSeconds(2),
          "With visibility = \"everywhere\": a worker that a call waits for longer than this is"
              + " read-only until it keeps up again, and not waited for.");

  /** How long a worker is writable without a word of the leader, if it needs a lease for that. */
  public static final Setting<Duration> LEADER_VISIBILITY_LEASE =
      used(
          LEADER,
          "visibility_lease",
          ValueType.duration(Duration.ofMillis(200), Duration.ofMinutes(1)),
          Duration.ofSeconds(1),
          "With visibility = \"everywhere\": a worker that is not heard from any more is read-only"
              + " after this long, and calls wait for it a tenth longer.");

  /** Whether acknowledgements wait for standbys. */
  public static final Setting<Long> LEADER_SYNC_STANDBY =
      used(
          LEADER,
          "sync_standby",
          ValueType.integer(0, 1),
          0L,
          "1: nothing is acknowledged, and no mount shows it, before it is on the disks of all"
              + " standbys that hypersync.leader.standbys names.");

  /** The standbys that are waited for. */
  public static final Setting<List<WorkerId>> LEADER_STANDBYS =
      used(
          LEADER,
          "standbys",
          ValueType.workerIds(SyncStandbyOptions.MOST),
          List.of(),
          "With sync_standby = 1: the names in the tokens of the standbys that are waited for,"
              + " several with commas between them. All of them are, so each can be promoted.");

  /** What the leader does without a standby. */
  public static final Setting<Degrade> LEADER_DEGRADE =
      used(
          LEADER,
          "degrade",
          ValueType.choice(Degrade.class),
          Degrade.BLOCK,
          "With sync_standby = 1, when a standby does not answer: block, so that nothing is"
              + " acknowledged until it is back, or alone, so that the leader goes on without it"
              + " after degrade_after. What it acknowledges then is lost if its disk is.");

  /** How long a standby is waited for. */
  public static final Setting<Duration> LEADER_DEGRADE_AFTER =
      used(
          LEADER,
          "degrade_after",
          ValueType.duration(Duration.ofMillis(500), ONE_HOUR),
          Duration.ofSeconds(10),
          "With degrade = \"alone\": how long a standby is waited for that does not answer.");

  /** The largest share of the heap for the filesystem state. */
  public static final Setting<Double> LEADER_STATE_HEAP_SHARE =
      used(
          LEADER,
          "state_heap_share",
          ValueType.fraction(0.05, 0.75),
          0.5,
          "How much of the largest heap (-Xmx) the filesystem may take in memory: state_memory, and"
              + " what is newer than the newest snapshot; what would make it larger is refused with"
              + " ENOSPC. Workers need as much heap as the leader.");

  /** How much heap the leader's state may take that is in pages. */
  public static final Setting<Long> LEADER_STATE_MEMORY =
      used(
          LEADER,
          "state_memory",
          ValueType.size(0, Long.MAX_VALUE >> 4),
          1L << 30,
          "How much of the heap those parts of the filesystem may take that can be read again from"
              + " pages on disk, about; at most half of state_heap_share. \"0B\" to keep all of it"
              + " in memory.");

  public static final Setting<WorkerId> WORKER_ID =
      used(
          WORKER,
          "id",
          ValueType.workerId(),
          null,
          "Who this worker is; by default the one that the token or the identity names.");

  /** Where the workspace is mounted. */
  public static final Setting<Path> WORKER_MOUNT =
      used(
          WORKER,
          "mount",
          ValueType.path(),
          null,
          "Where the workspace is mounted, such as /ntmfs/ws/<workspace>.");

  /** The local scratch folder that is not replicated (hypersync.md 3). */
  public static final Setting<Path> WORKER_LOCAL_DIR =
      used(
          WORKER,
          "local_dir",
          ValueType.path(),
          null,
          "The folder for caches and for paths of hypersync.ignore, not replicated;"
              + " /ntmfs/local/<workspace> for a mount at /ntmfs/ws/<workspace> by default.");

  public static final Setting<List<HostPort>> WORKER_LEADER_ADDRESS =
      used(
          WORKER,
          "leader_address",
          ValueType.addresses(),
          null,
          "Where the leader is, or may be; by default what the token says.");

  /** Where the worker keeps its identity and its replica. */
  public static final Setting<Path> WORKER_STATE_DIR =
      used(
          WORKER,
          "state_dir",
          ValueType.path(),
          null,
          "Where the worker keeps its identity and its copy;"
              + " /var/lib/hypersync/<workspace id>-<worker> by default.");

  public static final Setting<Path> WORKER_TOKEN =
      used(
          WORKER,
          "token",
          ValueType.path(),
          null,
          "The enrolment token with which the worker joins; needed at its first start only.");

  /** After this time a mutation whose outcome is unknown ends with EIO; MUTATION_DEADLINE. */
  public static final Setting<Duration> WORKER_MUTATION_DEADLINE =
      used(
          WORKER,
          "mutation_deadline",
          ValueType.duration(Duration.ofMillis(100), ONE_HOUR),
          Duration.ofSeconds(30),
          "How long a mutation whose fate is unknown blocks its caller, before EIO.");

  /** How long new mutations wait for a leader that is restarting, before EROFS (6.4). */
  public static final Setting<Duration> WORKER_PARTITION_GRACE =
      changeable(
          WORKER,
          "partition_grace",
          ValueType.duration(Duration.ZERO, ONE_HOUR),
          Duration.ZERO,
          "How long a new mutation waits for a leader that is gone, before EROFS; 0s for not.");

  /** How long the mount of a worker that has died waits for another one; zero for not at all. */
  public static final Setting<Duration> WORKER_TAKEOVER_TIMEOUT =
      used(
          WORKER,
          "takeover_timeout",
          ValueType.duration(Duration.ZERO, ONE_HOUR),
          Duration.ZERO,
          "How long a mount waits for a new worker if its own has died, such as 30s; 0s for not.");

  /**
   * A leader that was silent for so long is asked before its commit index is trusted;
   * LEADER_STALE_MS.
   */
  public static final Setting<Duration> WORKER_LEADER_STALE =
      changeable(
          WORKER,
          "leader_stale",
          ValueType.duration(Duration.ofMillis(10), ONE_HOUR),
          Duration.ofMillis(250),
          "How long the leader may be silent before the worker asks it.");

  /** Whether open waits until this mount shows everything known to be committed; strict_open. */
  public static final Setting<Boolean> WORKER_STRICT_OPEN =
      used(
          WORKER,
          "strict_open",
          ValueType.bool(),
          true,
          "Whether open waits until all that is known to be committed is visible.");

  /** Whether every read asks the leader first: linearizable reads. */
  public static final Setting<Boolean> WORKER_STRICT_READS =
      used(
          WORKER,
          "strict_reads",
          ValueType.bool(),
          false,
          "Whether every read asks the leader first, and the kernel caches nothing.");

  /** Whether the kernel may cache. */
  public static final Setting<Boolean> WORKER_KERNEL_CACHE =
      used(
          WORKER,
          "kernel_cache",
          ValueType.bool(),
          true,
          "Whether the kernel may cache names, attributes and data; they stay coherent.");

  /** How long the leader may be silent before the mount turns read-only. */
  public static final Setting<Duration> WORKER_LEADER_TIMEOUT =
      changeable(
          WORKER,
          "leader_timeout",
          ValueType.duration(Duration.ofMillis(10), ONE_HOUR),
          Duration.ofSeconds(1),
          "How long the leader may be silent before the mount turns read-only.");

  /** Whether inotify watches report changes of other hosts. */
  public static final Setting<Boolean> WORKER_INOTIFY =
      used(
          WORKER,
          "inotify",
          ValueType.bool(),
          false,
          "Whether inotify on this mount reports what other machines do; costs a scan of /proc.");

  /** How often new inotify watches are looked for. */
  public static final Setting<Duration> WORKER_INOTIFY_SCAN =
      used(
          WORKER,
          "inotify_scan",
          ValueType.duration(Duration.ofMillis(10), ONE_HOUR),
          Duration.ofMillis(250),
          "How often new watches are looked for, if \"inotify\" is set.");

  /** Who stands between the kernel and the filesystem. */
  public static final Setting<FuseBackend> WORKER_FUSE_BACKEND =
      used(
          WORKER,
          "fuse_backend",
          ValueType.fuseBackend(),
          FuseBackend.KERNEL,
          "What serves the mount: \"kernel\", the worker itself, or \"jnr\", libfuse 2, with"
              + " which the kernel caches nothing (README: the jnr backend).");

  /** Whether set-id bits and file capabilities are honoured on the mount. */
  public static final Setting<Boolean> WORKER_SUID =
      used(
          WORKER,
          "suid",
          ValueType.bool(),
          false,
          "Whether set-id bits and capabilities of files count on this mount; then root of any"
              + " machine of the workspace can become root of this one.");

  /** Whether device nodes on the mount can be opened. */
  public static final Setting<Boolean> WORKER_DEV =
      used(
          WORKER,
          "dev",
          ValueType.bool(),
          false,
          "Whether device nodes on this mount can be opened; then root of any machine of the"
              + " workspace can give this machine's devices to its users.");

  /** Whether a worker takes what is sent to all workers. */
  public static final Setting<Boolean> WORKER_MULTICAST =
      used(
          WORKER,
          "multicast",
          ValueType.bool(),
          true,
          "Whether this worker listens to what a leader with data_plane = \"multicast\" sends to"
              + " all workers.");

  /** The interface on which a worker listens to the group. */
  public static final Setting<String> WORKER_MULTICAST_INTERFACE =
      used(
          WORKER,
          "multicast_interface",
          ValueType.interfaceName(),
          "",
          "The network interface on which this worker listens to that; \"\" for the one that"
              + " reaches the leader.");

  /** Whether the agents are found that calling processes belong to. */
  public static final Setting<Boolean> WORKER_IDENTIFY_AGENTS =
      used(
          WORKER,
          "identify_agents",
          ValueType.bool(),
          true,
          "Whether the log says which agent made a change, by what its process says of itself"
              + " (README: who did what).");

  /** What a worker's chunks may take on its disk. */
  public static final Setting<Long> WORKER_CACHE_MAX =
      used(
          WORKER,
          "cache_max",
          ValueType.size(0, Long.MAX_VALUE >> 4),
          CacheLimits.NO_LIMIT,
          "How much disk the content of files may take on this machine, about; what was not used"
              + " lately goes first, and needs the leader when it is read. \"0B\" for no limit.");

  /** How much heap a worker's state may take that is in pages. */
  public static final Setting<Long> WORKER_STATE_MEMORY =
      used(
          WORKER,
          "state_memory",
          ValueType.size(0, Long.MAX_VALUE >> 4),
          1L << 30,
          "How much of the heap those parts of the filesystem may take that can be read again from"
              + " pages on disk, about; at most a quarter of the heap. \"0B\" to keep all of it in"
              + " memory.");

  /** How chunks are sent to workers. */
  public static final Setting<DataPlaneSettings.Mode> REPLICATION_DATA_PLANE =
      used(
          REPLICATION,
          "data_plane",
          ValueType.choice(DataPlaneSettings.Mode.class),
          DataPlaneSettings.Mode.AUTO,
          "How chunks are sent to workers: on streams, or as RaptorQ symbols in datagrams, which"
              + " is faster where packets are lost. \"auto\" chooses for each worker. \"multicast\""
              + " sends them once, to all workers that hear it.");

  /** The multicast group of a workspace. */
  public static final Setting<HostPort> REPLICATION_MULTICAST_GROUP =
      used(
          REPLICATION,
          "multicast_group",
          ValueType.multicastGroup(),
          new HostPort("239.255.72.83", 7471),
          "The group and port that chunks for all workers go to; each workspace on a network needs"
              + " one of its own.");

  /** The interface on which the leader sends to the group. */
  public static final Setting<String> REPLICATION_MULTICAST_INTERFACE =
      used(
          REPLICATION,
          "multicast_interface",
          ValueType.interfaceName(),
          "",
          "The network interface that the workers are behind; \"\" for the one that has the"
              + " address on which the leader listens.");

  /** How much the leader sends to the group. */
  public static final Setting<Long> REPLICATION_MULTICAST_RATE =
      used(
          REPLICATION,
          "multicast_rate",
          ValueType.size(64L << 10, DataPlaneSettings.MAX_MULTICAST_RATE),
          50L << 20,
          "How much is sent to all workers in a second at most: nothing else slows multicast"
              + " down.");

  /** Bytes of one RaptorQ symbol. */
  public static final Setting<Long> REPLICATION_SYMBOL_SIZE =
      used(
          REPLICATION,
          "symbol_size",
          ValueType.integer(64, 65_528),
          1280L,
          "The most bytes of one RaptorQ symbol; a path with smaller packets has smaller ones.");

  /** RaptorQ repair symbols as a fraction of the source symbols. */
  public static final Setting<Double> REPLICATION_REPAIR_OVERHEAD =
      used(
          REPLICATION,
          "repair_overhead",
          ValueType.fraction(0.0, 4.0),
          0.10,
          "RaptorQ repair symbols, as a part of the source symbols; more are sent where packets are"
              + " lost.");

  /** How many log entries may be on their way to one worker. */
  public static final Setting<Long> REPLICATION_MAX_INFLIGHT_ENTRIES =
      used(
          REPLICATION,
          "max_inflight_entries",
          ValueType.integer(1, MAX_COUNT),
          1000L,
          "How many log entries may be on their way to one worker.");

  /** How often a snapshot is taken; SNAPSHOT_INTERVAL. */
  public static final Setting<Duration> SNAPSHOTS_INTERVAL =
      changeable(
          SNAPSHOTS,
          "interval",
          ValueType.duration(Duration.ofSeconds(1), ONE_DAY),
          Duration.ofMinutes(5),
          "How often a snapshot is taken, if anything has changed.");

  /** How many snapshots are kept; RETAIN_SNAPSHOTS. */
  public static final Setting<Long> SNAPSHOTS_RETAIN =
      changeable(
          SNAPSHOTS,
          "retain",
          ValueType.integer(2, 1_000_000),
          864L,
          "How many snapshots are kept, besides those with a name or a pin.");

  /** How many older snapshots are kept, one of each day. */
  public static final Setting<Long> SNAPSHOTS_RETAIN_DAILY =
      changeable(
          SNAPSHOTS,
          "retain_daily",
          ValueType.integer(0, 100_000),
          0L,
          "How many older snapshots are kept besides, the last one of each day.");

  /** What snapshots that nobody has named may keep beside the newest state. */
  public static final Setting<Long> SNAPSHOTS_RETAIN_BYTES =
      changeable(
          SNAPSHOTS,
          "retain_bytes",
          ValueType.size(0, Long.MAX_VALUE >> 4),
          32L << 30,
          "How much disk snapshots without a name or a pin may keep, about; beyond it the oldest go"
              + " first.");

  /** How long entries are kept; RETAIN_LOG_HOURS. */
  public static final Setting<Duration> LOG_RETAIN =
      used(
          LOG,
          "retain",
          ValueType.duration(Duration.ZERO, Duration.ofDays(3_650)),
          Duration.ofDays(3),
          "How long the entries of the log are kept at least.");

  /** How many entries are kept; RETAIN_LOG_ENTRIES. */
  public static final Setting<Long> LOG_RETAIN_ENTRIES =
      used(
          LOG,
          "retain_entries",
          ValueType.integer(0, MAX_COUNT),
          10_000_000L,
          "How many entries of the log are kept at least.");

  /** What the log takes at most. */
  public static final Setting<Long> LOG_MAX_BYTES =
      used(
          LOG,
          "max_bytes",
          ValueType.integer(1L << 26, Long.MAX_VALUE),
          10L << 30,
          "What the log takes at most, in bytes; older entries go even before their time, once a"
              + " snapshot has them.");

  /** How often dead chunks are collected. */
  public static final Setting<Duration> GC_INTERVAL =
      changeable(
          GC,
          "interval",
          ValueType.duration(Duration.ofSeconds(1), Duration.ofDays(365)),
          ONE_HOUR,
          "How often dead chunks are collected, if anything has changed.");

  /** What is kept for workers that come back; REPLAY_WINDOW_ENTRIES. */
  public static final Setting<Long> GC_REPLAY_ENTRIES =
      changeable(
          GC,
          "replay_entries",
          ValueType.integer(0, MAX_COUNT),
          CollectionPolicy.REPLAY_ENTRIES,
          "Chunks that this many newest log entries mention are kept, for workers that are away.");

  /** The same as a time; REPLAY_WINDOW_TIME. */
  public static final Setting<Duration> GC_REPLAY_TIME =
      changeable(
          GC,
          "replay_time",
          ValueType.duration(Duration.ZERO, Duration.ofDays(365)),
          Duration.ofDays(1),
          "Of those, only the ones that are not older than this; 10 min on a disk that is full.");

  /** How often all that is stored is read. */
  public static final Setting<Duration> SCRUB_INTERVAL =
      used(
          SCRUB,
          "interval",
          ValueType.duration(Duration.ZERO, Duration.ofDays(365)),
          Duration.ZERO,
          "How often the leader reads all that it has stored and mends it, such as \"7d\"; 0s: only"
              + " when it is asked to (./hypersync scrub --run).");

  /** How fast that is done. */
  public static final Setting<Long> SCRUB_RATE =
      used(
          SCRUB,
          "rate",
          ValueType.size(1L << 20, 1L << 40),
          ScrubPolicy.BYTES_PER_SECOND,
          "How much a scrub reads in a second at most.");

  /** Where a leader and its standbys agree on who works in the background. */
  public static final Setting<String> BACKGROUND_STORE =
      used(
          BACKGROUND,
          "store",
          ValueType.lockStoreOrNone(),
          "",
          "Where a leader and its standbys agree on whose turn it is to take snapshots, collect and"
              + " scrub, as for putex: \"nats://<host:port>\", or \"file:<dir>\" on one host;"
              + " \"\" if each does so when it likes.");

  /** The bucket of that store. */
  public static final Setting<String> BACKGROUND_BUCKET =
      used(
          BACKGROUND,
          "bucket",
          ValueType.plain(),
          "locks",
          "The bucket of NATS for that; it is made if there is none.");

  /** What the store asks for. */
  public static final Setting<String> BACKGROUND_CREDENTIALS =
      used(
          BACKGROUND,
          "credentials",
          ValueType.absolutePathOrNone(),
          "",
          "A credentials file of NATS for that; \"\" for none.");

  /** The name of this process there. */
  public static final Setting<String> BACKGROUND_HOLDER =
      used(
          BACKGROUND,
          "holder",
          ValueType.plain(),
          "",
          "The name of this process there; \"\": what HOSTNAME says, else a random one.");

  /** How many entries a worker may be behind before it gets a snapshot instead of the log. */
  public static final Setting<Long> SNAPSHOTS_CATCHUP_LOG_THRESHOLD_ENTRIES =
      used(
          SNAPSHOTS,
          "catchup_log_threshold_entries",
          ValueType.integer(1, MAX_COUNT),
          200_000L,
          "A worker that starts further behind than this gets a snapshot in place of the log.");

  /** How many entries a connected worker may be behind before it gets a snapshot. */
  public static final Setting<Long> SNAPSHOTS_MAX_LAG_ENTRIES =
      used(
          SNAPSHOTS,
          "max_lag_entries",
          ValueType.integer(1, MAX_COUNT),
          CatchUpLimits.DEFAULT.maxLagEntries(),
          "A worker that follows, or comes back, and is further behind than this gets a snapshot.");

  /** How long it may take a connected worker to follow before it gets a snapshot. */
  public static final Setting<Duration> SNAPSHOTS_MAX_LAG_TIME =
      used(
          SNAPSHOTS,
          "max_lag_time",
          ValueType.duration(Duration.ofSeconds(10), Duration.ofDays(365)),
          Duration.ofNanos(CatchUpLimits.DEFAULT.maxLagNs()),
          "So does one that has not applied yet what was durable so long ago.");

  /** Where Agent Mail keeps its files; the leader reads reservations there. */
  public static final Setting<String> AGENT_MAIL_ARCHIVE =
      used(
          AGENT_MAIL,
          "archive",
          ValueType.absolutePathOrNone(),
          "",
          "The folder of Agent Mail's archive on the leader's machine (its STORAGE_ROOT), for the"
              + " reservations of agents; \"\" for none.");

  /** Other paths by which agents know the workspace. */
  public static final Setting<List<String>> AGENT_MAIL_MOUNT_PATHS =
      used(
          AGENT_MAIL,
          "mount_paths",
          ValueType.absolutePaths(),
          List.of(),
          "Where agents see the workspace, if not at /ntmfs/ws/<workspace> or worker.mount;"
              + " several with commas between them.");

  /** Where Agent Mail's server answers. */
  public static final Setting<String> AGENT_MAIL_URL =
      used(
          AGENT_MAIL,
          "url",
          ValueType.httpUrlOrNone(),
          "",
          "Where Agent Mail's server answers, such as \"http://127.0.0.1:8765/mcp/\"; it is asked"
              + " for reservations if there is no archive. \"\" for none.");

  /** The file with the token for that server. */
  public static final Setting<String> AGENT_MAIL_TOKEN_FILE =
      used(
          AGENT_MAIL,
          "token_file",
          ValueType.absolutePathOrNone(),
          "",
          "A file whose first line is the token for that server (its HTTP_BEARER_TOKEN); \"\" for"
              + " none.");

  /** Whether agents are told of hazards by mail. */
  public static final Setting<Switch> AGENT_MAIL_MESSAGES =
      used(
          AGENT_MAIL,
          "messages",
          ValueType.choice(Switch.class),
          Switch.OFF,
          "Whether the leader mails both agents when their work meets.");

  /** The projects of Agent Mail in the workspace. */
  public static final Setting<List<String>> AGENT_MAIL_PROJECTS =
      used(
          AGENT_MAIL,
          "projects",
          ValueType.absolutePaths(),
          List.of(),
          "The projects in the workspace, as agents name them to Agent Mail; several with commas"
              + " between them. By default one, the workspace itself.");

  /** Whether reservations are enforced. */
  public static final Setting<Switch> AGENT_MAIL_ENFORCE =
      used(
          AGENT_MAIL,
          "enforce",
          ValueType.choice(Switch.class),
          Switch.OFF,
          "Whether an agent gets EACCES where another one holds a reservation for itself alone.");

  /** The most agents on one worker. */
  public static final Setting<Long> SCHEDULER_MAX_AGENTS_PER_WORKER =
      changeable(
          SCHEDULER,
          "max_agents_per_worker",
          ValueType.integer(1, 100_000),
          40L,
          "The most agents that place gives to one worker.");

  /** A worker that lags by more milliseconds than this gets no new agents. */
  public static final Setting<Long> SCHEDULER_MAX_SYNC_LAG_MS =
      changeable(
          SCHEDULER,
          "max_sync_lag_ms",
          ValueType.integer(1, 3_600_000),
          50L,
          "A worker gets no agents if what it shows is as many milliseconds old, or more.");

  /** A worker whose commits take more milliseconds than this gets no new agents. */
  public static final Setting<Long> SCHEDULER_MAX_COMMIT_RTT_MS =
      changeable(
          SCHEDULER,
          "max_commit_rtt_ms",
          ValueType.integer(1, 3_600_000),
          200L,
          "A worker gets no agents if its commits take as many milliseconds, or more.");

  /** Whether daemons show metrics. */
  public static final Setting<Boolean> METRICS_ENABLED =
      used(
          METRICS,
          "enabled",
          ValueType.bool(),
          true,
          "Whether a daemon shows its metrics to Prometheus, over HTTP.");

  /** Where they do. */
  public static final Setting<HostPort> METRICS_ADDRESS =
      used(
          METRICS,
          "address",
          ValueType.address(),
          null,
          "Where it does, such as 127.0.0.1:9570; the first free port of 127.0.0.1 from 9570 to"
              + " 9601 by default. Another address than one of this machine alone needs"
              + " token_file.");

  /** The file with what scrapers must send. */
  public static final Setting<String> METRICS_TOKEN_FILE =
      used(
          METRICS,
          "token_file",
          ValueType.absolutePathOrNone(),
          "",
          "A file whose first line is the token that a scraper must send (Authorization: Bearer);"
              + " \"\" for none.");

  /** How much a daemon logs. */
  public static final Setting<LogLevel> LOGGING_LEVEL =
      changeable(
          LOGGING,
          "level",
          ValueType.choice(LogLevel.class),
          LogLevel.INFO,
          "How much a daemon says in its log, from \"off\" to \"all\". HYPERSYNC_LOG_LEVEL in its"
              + " environment is over the file.");

  /** How its lines are written. */
  public static final Setting<LogFormat> LOGGING_FORMAT =
      changeable(
          LOGGING,
          "format",
          ValueType.choice(LogFormat.class),
          LogFormat.TEXT,
          "How the lines of that log are written: \"text\", or \"json\", one object a line.");

  private Settings() {}

  /** Returns all settings; those of one section are adjacent. */
  public static List<Setting<?>> all() {
    return List.copyOf(ALL);
  }

  /** Returns the setting of a dotted key, or empty if there is none. */
  public static Optional<Setting<?>> find(String key) {
    return ALL.stream()
        .<Setting<?>>map(setting -> setting)
        .filter(setting -> setting.key().equals(key))
        .findFirst();
  }

  /**
   * Returns why a key that only earlier versions had is ignored, so that a file with it still
   * loads. Empty if no earlier version had the key.
   */
  static Optional<String> retired(String key) {
    return Optional.ofNullable(RETIRED.get(key));
  }

  /** Returns the names of the sections, in the order of the file. */
  public static List<String> sections() {
    return ALL.stream().map(Setting::section).distinct().toList();
  }

  /** Returns the settings that variables of the environment give, by the names of these. */
  static Map<String, Setting<?>> byVariable() {
    return Map.of("HYPERSYNC_LOG_LEVEL", LOGGING_LEVEL);
  }

  private static <T> Setting<T> used(
      String section, String name, ValueType<T> type, @Nullable T defaultValue, String doc) {
    return added(new Setting<>(section, name, type, defaultValue, doc, false));
  }

  /** One that a daemon which runs takes up, so {@code cli.reload.Tuning} knows it. */
  private static <T> Setting<T> changeable(
      String section, String name, ValueType<T> type, @Nullable T defaultValue, String doc) {
    return added(new Setting<>(section, name, type, defaultValue, doc, true));
  }

  private static <T> Setting<T> added(Setting<T> setting) {
    ALL.add(setting);
    return setting;
  }
}
