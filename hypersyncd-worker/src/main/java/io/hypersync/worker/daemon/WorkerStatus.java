package io.hypersync.worker.daemon;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.invariant.Invariant;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.progress.Progress;
import io.hypersync.snapshot.daemon.SnapshotStatus;
import io.hypersync.wire.message.NegotiatedParams;
import io.hypersync.wire.message.WorkerMessage.ApplyError;
import io.hypersync.worker.WorkerAgent;
import io.hypersync.worker.WorkerDaemonOptions;
import io.hypersync.worker.cache.CacheLimits;
import io.hypersync.worker.cache.ChunkCache;
import io.hypersync.worker.dataplane.PushedChunksStatus;
import io.hypersync.worker.install.SnapshotInstall;
import io.hypersync.worker.link.LinkState;
import io.hypersync.worker.port.CacheReport;
import io.hypersync.worker.replica.IndexedState;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The worker's status as JSON, with the keys of {@code docs/json.md}. */
final class WorkerStatus {
  private static final long NS_PER_MS = 1_000_000;

  private WorkerStatus() {}

  /** Everything the agent knows but what {@link WorkerStages} has; on the agent's thread. */
  static ObjectNode of(
      WorkerDaemonOptions options,
      LeaderAddresses leader,
      long startedNs,
      WorkerAgent agent,
      boolean mounted) {
    IndexedState visible = agent.visible();
    ObjectNode status = JsonNodeFactory.instance.objectNode();
    status.put("role", "worker");
    status.put("worker_id", options.worker().name());
    status.put("workspace", options.workspace().toString());
    status.put("pid", ProcessHandle.current().pid());
    status.put("uptime_ms", (Clock.SYSTEM.monotonicNs() - startedNs) / NS_PER_MS);
    status.put("mount", options.mountPoint().toString());
    status.put("local", options.localDir().toString());
    status.put("leader", leader.text());
    leader.texts().forEach(status.putArray("leader_addresses")::add);
    status.put("link", agent.monitor().state().name().toLowerCase(Locale.ROOT));
    status.put("link_reason", agent.monitor().reason());
    status.put("term_seen", agent.seen().term());
    status.put(
        "link_down_ms",
        agent.monitor().state() == LinkState.LIVE
            ? 0
            : (Clock.SYSTEM.monotonicNs() - agent.monitor().notLiveSinceNs()) / NS_PER_MS);
    status.set("negotiated", negotiated(agent.params()));
    status.put("mounted", mounted);
    status.put("connected", agent.monitor().isConnected());
    status.put("read_only", !agent.isWritable() || !mounted);
    status
        .putObject("visibility")
        .put("needed", agent.needsLease())
        .put("lease", agent.holdsLease());
    status.put("applied_index", visible.index());
    status.put("commit_index", Math.max(agent.commitIndex(), visible.index()));
    status.set("catch_up", catchUp(agent));
    status.set("install", install(agent.install()));
    status.put("root", visible.root().toString());
    status.put("files", agent.namedNodes());
    status.put("orphans", agent.orphans());
    status.put("bytes", visible.state().allocated());
    status.set("apply_error", error(agent.applyError()));
    status.put("pending_mutations", agent.pendingMutations());
    status.put("locks_held", agent.locks().held());
    status.put("locks_waiting", agent.locks().waiting());
    status.put("locks_lost", agent.locks().lost());
    status.put("locks_fenced", agent.heldLocks().lostAndNotLockedAgain());
    status.put("lock_warnings", agent.locks().warnings());
    status.put("open_leases", agent.openLeases());
    status.put("fsync_elided", agent.fsyncsElided());
    status.put("names_late", agent.namesLate());
    status.put("chunks_repaired", agent.chunksRepaired());
    status.put("chunks_backfilled", agent.backfill().fetched());
    status.put("backfill_running", agent.backfill().isWanted());
    status.set("snapshots", SnapshotStatus.of(agent.snapshots(), Clock.SYSTEM.epochNs()));
    status.set("data_plane", dataPlane(agent.pushed().status()));
    status.set("chunk_cache", cache(agent.cache()));
    status.put("vector_faults", Blake3.vectorFaults().count());
    ObjectNode invariants = status.putObject("invariants_broken");
    for (Invariant invariant : Invariant.ALL) {
      invariants.put(invariant.name(), invariant.broken());
    }
    return status;
  }

  private static ObjectNode dataPlane(PushedChunksStatus pushed) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("chunks_decoded", pushed.decoded());
    node.put("chunks_asked", pushed.asked());
    node.put("chunks_not_decoded", pushed.notDecoded());
    node.put("chunks_dropped", pushed.droppedChunks());
    node.put("backlog_bytes", pushed.backlogBytes());
    node.put("symbols_rejected", pushed.rejectedSymbols());
    node.put("symbols_surplus", pushed.surplusSymbols());
    return node;
  }

  /** The meter was read when a report was sent; what is visible now is newer. */
  private static ObjectNode catchUp(WorkerAgent agent) {
    long index = agent.visible().index();
    return agent
        .catchUp()
        .catchUp()
        .put("entries_behind", Math.max(agent.commitIndex(), index) - index);
  }

  /** The snapshot that is being installed; null if none is. */
  private static @Nullable ObjectNode install(@Nullable SnapshotInstall install) {
    if (install == null) {
      return null;
    }
    Progress progress = install.progress();
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("index", install.index());
    node.put("pages", install.pages());
    node.put("pages_estimate", install.pagesInAll());
    node.put("bytes", install.bytes());
    node.put("bytes_estimate", install.bytesInAll());
    node.put("pages_per_s", progress.roundedPerSecond());
    node.put("ms_left", progress.msLeft());
    return node;
  }

  /** What is known of collections; for the admin command {@code gc}, too. */
  static ObjectNode cache(ChunkCache cache) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("max_bytes", cache.maxBytes() == CacheLimits.NO_LIMIT ? null : cache.maxBytes());
    node.put("bytes", cache.storeBytes() == 0 ? null : cache.storeBytes());
    node.put("running", cache.isRunning());
    node.put("ended", cache.endedSoFar());
    node.put("failed", cache.failedSoFar());
    node.put("last_failure", cache.lastFailure());
    node.put("evictions", cache.evictions());
    node.put("bytes_freed", cache.freedBytes());
    node.set("last", report(cache.last()));
    return node;
  }

  private static @Nullable ObjectNode report(@Nullable CacheReport report) {
    if (report == null) {
      return null;
    }
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("evicted", report.evicted());
    node.put("bytes_live", report.liveBytes());
    node.put("bytes_dead", report.deadBytes());
    node.put("bytes_freed", report.freedBytes());
    node.put("chunks_removed", report.chunksRemoved());
    node.put("unreadable_chunks", report.unreadable());
    node.put("took_ms", report.tookNs() / NS_PER_MS);
    return node;
  }

  private static ObjectNode negotiated(NegotiatedParams params) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    ArrayNode features = node.putArray("features");
    params.features().names().forEach(features::add);
    node.put("chunk_max", params.chunkMax());
    node.put("inline_threshold", params.inlineThreshold());
    node.put("batch_window_ms", params.batchWindowMs());
    return node;
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
