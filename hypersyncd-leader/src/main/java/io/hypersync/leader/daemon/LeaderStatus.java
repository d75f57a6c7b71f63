package io.hypersync.leader.daemon;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.chunkstore.ChunkStoreStats;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.LeaderDaemonOptions;
import io.hypersync.leader.dataplane.DataPlaneStatus;
import io.hypersync.leader.dataplane.MulticastStatus;
import io.hypersync.leader.lock.LockCounters;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.placement.Judgement;
import io.hypersync.leader.quota.Quota;
import io.hypersync.leader.sequencer.IndexedRoot;
import io.hypersync.leader.sequencer.IntentRates;
import io.hypersync.leader.sequencer.RootLatencies;
import io.hypersync.leader.session.DisconnectedWorkers.Absence;
import io.hypersync.leader.session.WorkerSession;
import io.hypersync.leader.syncstandby.Degrade;
import io.hypersync.leader.syncstandby.SyncStandbys;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hazard.HazardKind;
import io.hypersync.model.invariant.Invariant;
import io.hypersync.model.state.FsState;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.background.BackgroundStatus;
import io.hypersync.runtime.text.HostPorts;
import io.hypersync.snapshot.daemon.SnapshotStatus;
import io.hypersync.wire.admission.HandshakeCounts;
import io.hypersync.wire.message.LocalPressure;
import io.hypersync.wire.message.WorkerMessage.ApplyError;
import io.hypersync.wire.message.WorkerMessage.WorkerApplied;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Builds the leader's status report, with the keys of {@code docs/json.md}. */
final class LeaderStatus {
  private static final long NS_PER_US = 1_000;
  private static final long NS_PER_MS = 1_000_000;
  private static final double US_PER_MS = 1_000;
  private static final double P50 = 50;
  private static final double P99 = 99;
  private static final double MAX = 100;

  /**
   * Always 0: a crit-bit trie has exactly one shape for each set of keys, so it is never
   * rebalanced.
   */
  private static final long REBALANCES = 0;

  private LeaderStatus() {}

  /**
   * Everything except latencies, handshakes and sizes on disk; to be called on the agent's thread.
   */
  static ObjectNode of(
      LeaderDaemonOptions options,
      InetSocketAddress address,
      long startedNs,
      LeaderAgent agent,
      OpLog log) {
    FsState head = agent.sequencer().head();
    ObjectNode status = JsonNodeFactory.instance.objectNode();
    status.put("role", "leader");
    status.put("workspace", options.workspace().toString());
    status.put("workspace_name", options.workspaceName());
    status.put("pid", ProcessHandle.current().pid());
    status.put("uptime_ms", (Clock.SYSTEM.monotonicNs() - startedNs) / NS_PER_MS);
    status.put("address", HostPorts.numeric(address));
    status.put("leader_epoch", HexFormat.of().toHexDigits(agent.epoch()));
    status.put("term", agent.term().number());
    IndexedRoot durable = agent.sequencer().durable();
    status.put("commit_index", durable.index());
    status.put("root", durable.root().toString());
    status.put("files", head.nodes().size() - agent.sequencer().orphans().size());
    status.put("bytes", head.allocated());
    ObjectNode merkle = status.putObject("merkle");
    merkle.put("updates", agent.sequencer().rootTimes().count());
    merkle.put("tree_depth", head.nodes().depth());
    merkle.put("rebalance_count", REBALANCES);
    ObjectNode invariants = status.putObject("invariants_broken");
    for (Invariant invariant : Invariant.ALL) {
      invariants.put(invariant.name(), invariant.broken());
    }
    status.put("pending_intents", agent.intentHandler().pending());
    status.put("unacknowledged", agent.intentHandler().unacknowledged());
    status.put("deduplicated_intents", agent.intentHandler().deduplicated());
    status.set("locks", locks(agent.locks().counters()));
    ObjectNode hazards = status.putObject("hazards");
    for (HazardKind kind : HazardKind.values()) {
      hazards.put(kind.text(), agent.sequencer().hazards().count(kind));
    }
    status.put("hazards_us", agent.sequencer().hazardNs() / NS_PER_US);
    status.put("orphans", agent.sequencer().orphans().size());
    status.put("open_leases", agent.leases().size());
    status.put("reaped", agent.reaper().reaped());
    status.set("snapshots", SnapshotStatus.of(agent.snapshots(), Clock.SYSTEM.epochNs()));
    ObjectNode repair = status.putObject("repair");
    repair.put("searches", agent.recovery().searches());
    repair.put("recovered", agent.recovery().recovered());
    repair.put("failed", agent.recovery().failed());
    status.set("gc", CollectionRequests.json(agent.collections()));
    ObjectNode memory = status.putObject("state_memory");
    memory.put("bytes", agent.sequencer().undroppable());
    memory.put("limit", agent.sequencer().maxStateBytes());
    memory.put("refused", agent.sequencer().refusedFull());
    ObjectNode refused = status.putObject("refused");
    for (Quota quota : Quota.values()) {
      refused.put(quota.key(), agent.violations().of(quota));
    }
    status.put("root_audits", agent.divergences().audits());
    status.put("vector_faults", Blake3.vectorFaults().count());
    ObjectNode received = status.putObject("received");
    agent.received().byName().forEach(received::put);
    status.set("multicast", multicast(agent.fanout().multicast()));
    ArrayNode workers = status.putArray("workers");
    for (WorkerSession session : agent.sessions().all()) {
      workers.add(
          worker(
              session,
              session.isSyncStandby() ? agent.standbys().ownDurable() : log.durableIndex(),
              agent.intentHandler().rates().of(session.worker(), Clock.SYSTEM.monotonicNs()),
              agent.fanout().status(session.id()),
              agent.scheduler().judgement(session.worker())));
    }
    status.set("sync_standby", syncStandby(agent.standbys(), Clock.SYSTEM.monotonicNs()));
    status.set("background", BackgroundStatus.json(options.background()));
    status.set("visibility", VisibilityRequests.json(agent, Clock.SYSTEM.monotonicNs()));
    status.set("presence", PresenceRequests.counts(agent.presence()));
    status
        .putObject("notices")
        .put("posted", agent.notices().posted())
        .put("waiting", agent.notices().waiting())
        .put("dropped", agent.notices().dropped());
    status.put("workers_greeted", agent.disconnected().sessionsEstablished());
    ArrayNode absent = status.putArray("absent");
    agent
        .disconnected()
        .newestFirst()
        .forEach(each -> absent.add(absence(each, Clock.SYSTEM.monotonicNs())));
    return status;
  }

  /** Adds latencies for people, as percentiles; on the agent's thread, which it takes a while. */
  static void addPercentiles(
      ObjectNode status, LeaderAgent agent, CommitStats commits, LeaderStages stages) {
    status.put("commit_latency_us_p50", commits.latencyUs(P50));
    status.put("commit_latency_us_p99", commits.latencyUs(P99));
    status.set("batches", commits.percentiles());
    RootLatencies times = agent.sequencer().rootTimes();
    status
        .withObject("/merkle")
        .put("update_latency_us_p50", times.microseconds(P50))
        .put("update_latency_us_p99", times.microseconds(P99))
        .put("update_latency_us_max", times.microseconds(MAX));
    status.set("stages", stages.sinceStart());
  }

  /** Adds latencies for metrics, as buckets, in place of percentiles; on the agent's thread. */
  static void addBuckets(
      ObjectNode status, LeaderAgent agent, CommitStats commits, LeaderStages stages) {
    status.set("batches", commits.buckets());
    status.withObject("/merkle").set("update", agent.sequencer().rootTimes().buckets().json());
    status.set("stages", stages.buckets());
  }

  private static ObjectNode absence(Absence absence, long nowNs) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("worker_id", absence.worker().name());
    node.put("state", absence.kind().name().toLowerCase(Locale.ROOT));
    node.put("address", absence.address());
    node.put("reason", absence.reason());
    node.put("since_ms", (nowNs - absence.sinceNs()) / NS_PER_MS);
    node.put("last_ms", (nowNs - absence.lastNs()) / NS_PER_MS);
    node.put("times", absence.times());
    node.put("applied_index", absence.appliedIndex());
    return node;
  }

  /** Adds counts of handshakes at the UDP port, by workers and unauthenticated peers. */
  static void addHandshakes(ObjectNode status, HandshakeCounts counts) {
    ObjectNode handshakes = status.putObject("handshakes");
    handshakes.put("begun", counts.begun());
    handshakes.put("opened", counts.opened());
    handshakes.put("failed", counts.failed());
    handshakes.put("asked", counts.asked());
    handshakes.put("refused", counts.refused());
    handshakes.put("bad_tokens", counts.badTokens());
    handshakes.put("stray", counts.stray());
  }

  /** Adds the sizes of log and chunk store on disk, in bytes. */
  static void addStores(ObjectNode status, ChunkStoreStats chunks, OpLog log, long logBytes) {
    status.put("chunk_bytes", chunks.bytesOnDisk());
    status.put("chunks", chunks.approximateChunks());
    status.put("log_bytes", logBytes);
    status.put("log_first_index", log.firstIndex());
    status.put("log_preallocated_bytes", Math.min(log.preallocatedBytes(), logBytes));
  }

  private static ObjectNode locks(LockCounters counters) {
    ObjectNode locks = JsonNodeFactory.instance.objectNode();
    locks.put("held", counters.held());
    locks.put("waiting", counters.waiting());
    locks.put("expiring", counters.expiring());
    locks.put("requests", counters.requests());
    locks.put("contended", counters.contended());
    locks.put("deadlocks", counters.deadlocks());
    locks.put("expired", counters.expired());
    locks.put("reclaimed", counters.reclaimed());
    locks.put("fenced", counters.fenced());
    return locks;
  }

  private static ObjectNode worker(
      WorkerSession session,
      long commitIndex,
      IntentRates.Figures rates,
      @Nullable DataPlaneStatus dataPlane,
      @Nullable Judgement judgement) {
    WorkerApplied report = session.report();
    ObjectNode worker = JsonNodeFactory.instance.objectNode();
    worker.put("worker_id", session.worker().name());
    worker.put("connected", session.isEstablished());
    worker.put("address", session.address());
    worker.put("heard_ms", (Clock.SYSTEM.monotonicNs() - session.lastHeardNs()) / NS_PER_MS);
    long applied = report == null ? session.appliedIndex() : session.visibleIndex();
    worker.put("applied_index", applied);
    worker.put("lag", Math.max(0, commitIndex - applied));
    worker.put("installing", session.isInstalling());
    worker.set(
        "catch_up",
        session
            .catchUp(commitIndex)
            .catchUp()
            .put("entries_behind", Math.max(0, commitIndex - applied)));
    worker.put("read_only", report == null || report.readOnly());
    worker.put("missing_chunks", report == null ? 0 : report.missingChunks());
    worker.put("root", session.visibleRoot().toString());
    worker.set("local_pressure", pressure(report));
    worker.put("rate_limit_rejections", rates.rejected());
    worker.put("intents_per_s_p50", rates.perSecondP50());
    worker.put("intents_per_s_p99", rates.perSecondP99());
    worker.set("data_plane", dataPlane(dataPlane));
    worker.set("placement", placement(judgement));
    worker.set("apply_error", error(report == null ? null : report.applyError()));
    worker.set("standby", standby(session, report, commitIndex));
    return worker;
  }

  /** What a standby has on its disk; null for a worker, or before the first report. */
  private static @Nullable ObjectNode standby(
      WorkerSession session, @Nullable WorkerApplied report, long commitIndex) {
    if (report == null || !report.isStandby()) {
      return null;
    }
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("complete", report.syncedIndex() > 0);
    node.put("synced_index", report.syncedIndex());
    node.put("lag_entries", Math.max(0, commitIndex - report.syncedIndex()));
    node.put("lag_ms", session.standbyLag().ns(Clock.SYSTEM.monotonicNs()) / NS_PER_MS);
    return node;
  }

  /** Which standbys are waited for, and how they stand; null if nobody is. */
  private static @Nullable ObjectNode syncStandby(SyncStandbys standbys, long nowNs) {
    if (!standbys.isOn()) {
      return null;
    }
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    boolean waitsForEver = standbys.options().degrade() == Degrade.BLOCK;
    node.put("degrade", standbys.options().degrade().text());
    node.put(
        "degrade_after_ms",
        waitsForEver ? null : (Long) (standbys.options().degradeAfterNs() / NS_PER_MS));
    node.put("holds_start", standbys.holdsStart());
    node.put("own_index", standbys.ownDurable());
    node.put("waiting", standbys.waiting());
    node.put("waiting_ms", standbys.waitingNs(nowNs) / NS_PER_MS);
    ArrayNode all = node.putArray("standbys");
    for (SyncStandbys.Report each : standbys.reports()) {
      all.addObject()
          .put("worker_id", each.name().name())
          .put("state", each.state())
          .put("connected", each.isConnected())
          .put("synced_index", each.synced())
          .put("lag_entries", each.lacks())
          .put("alone_after", each.aloneAfter())
          .put("since_ms", Math.max(0, Clock.SYSTEM.epochNs() / NS_PER_MS - each.sinceEpochMs()));
    }
    return node;
  }

  /** Whether agents may be placed on a worker; null before its first report. */
  private static @Nullable ObjectNode placement(@Nullable Judgement judgement) {
    if (judgement == null) {
      return null;
    }
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("stable", judgement.isStable());
    node.set("reasons", PlacementRequests.reasons(judgement.reasons()));
    node.put("cost", PlacementRequests.rounded(judgement.cost()));
    node.put("agents", judgement.agents());
    return node;
  }

  private static @Nullable ObjectNode dataPlane(@Nullable DataPlaneStatus status) {
    if (status == null) {
      return null;
    }
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put(
        "delivery",
        status.isMulticast() ? "multicast" : status.delivery().name().toLowerCase(Locale.ROOT));
    node.put("reason", status.reason());
    node.put("loss", status.loss());
    node.put("rtt_us", status.rttNs() / 1_000);
    node.put("symbol_bytes", status.symbolBytes());
    node.put("on_the_way_bytes", status.onTheWayBytes());
    node.put("waiting_bytes", status.waitingBytes());
    node.put("quic_window_bytes", status.quicWindowBytes());
    node.put("window_bytes", status.windowBytes());
    node.put("backlog_bytes", status.backlogBytes());
    node.put("chunks_pushed", status.pushed());
    node.put("chunks_refused", status.refused());
    return node;
  }

  /** What is sent to all workers at once; null if nothing is. */
  private static @Nullable ObjectNode multicast(@Nullable MulticastStatus status) {
    if (status == null) {
      return null;
    }
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("workers_told", status.told());
    node.put("workers_hearing", status.hearing());
    node.put("worst_loss", status.worstLoss());
    node.put("waiting_bytes", status.waitingBytes());
    node.put("chunks", status.chunks());
    node.put("packets", status.packets());
    node.put("bytes", status.bytes());
    node.put("chunks_refused", status.refused());
    return node;
  }

  /** The load that the worker reports for its machine; null if it reports none. */
  private static @Nullable ObjectNode pressure(@Nullable WorkerApplied report) {
    if (report == null || report.pressure().equals(LocalPressure.NOT_KNOWN)) {
      return null;
    }
    LocalPressure pressure = report.pressure();
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    putKnown(node, "cpu_percent", pressure.cpuPercent());
    putKnown(node, "memory_percent", pressure.memoryPercent());
    putKnown(node, "disk_percent", pressure.diskPercent());
    putMs(node, "sync_lag_ms", pressure.syncLagUs());
    putMs(node, "commit_rtt_ms", pressure.commitRttUs());
    putKnown(node, "agents", pressure.agents());
    return node;
  }

  private static void putKnown(ObjectNode node, String key, int value) {
    node.put(key, value == LocalPressure.UNKNOWN ? null : (Integer) value);
  }

  private static void putMs(ObjectNode node, String key, int us) {
    node.put(key, us == LocalPressure.UNKNOWN ? null : (Double) (us / US_PER_MS));
  }

  private static @Nullable ObjectNode error(@Nullable ApplyError error) {
    if (error == null) {
      return null;
    }
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("log_index", error.logIndex());
    node.put("errno", error.errno().name());
    node.put("message", error.message());
    return node;
  }
}
