package io.hypersync.cli.metrics;

import static io.hypersync.cli.metrics.MetricRow.MILLISECONDS;
import static io.hypersync.cli.metrics.MetricRow.NANOSECONDS;

import io.hypersync.cli.metrics.MetricRow.Part;
import java.util.List;

/** The metrics of a worker, and of a standby as far as it has them (hypersync.md 16, 22.1). */
final class WorkerRows {
  private WorkerRows() {}

  static List<MetricRow> replica() {
    return List.of(
        gauge("connected", "connected", "Whether the leader is reachable."),
        gauge("link_down_ms", "link_down_seconds", "How long the link has not been live.")
            .times(MILLISECONDS),
        gauge("term_seen", "term_seen", "Highest term of a leader that it has seen."),
        gauge("applied_index", "applied_index", "Newest entry that is visible."),
        gauge("commit_index", "commit_index", "Newest entry the leader is known to have."),
        gauge("catch_up.entries_behind", "lag_entries", "Entries that are not visible yet."),
        gauge("catch_up.entries_per_s", "catch_up_entries_per_second", "What it makes visible."),
        gauge("catch_up.ms_left", "catch_up_left_seconds", "How long the rest takes.")
            .times(MILLISECONDS),
        gauge("install", "installing", "Whether a snapshot is being installed.").whetherPresent(),
        gauge("apply_error", "apply_error", "Whether it has stopped at an entry.").whetherPresent(),
        gauge("files", "files", "Nodes that have a name."),
        gauge("bytes", "content_bytes", "Bytes of all nodes."),
        gauge("orphans", "orphans", "Nodes without a name that are kept."),
        counter("chunks_repaired", "repaired_chunks", "Unreadable chunks that were sent again."),
        counter("chunks_backfilled", "backfilled_chunks", "Chunks fetched ahead of need."),
        gauge("backfill_running", "backfill_running", "Whether chunks are fetched ahead."),
        counter("data_plane.chunks_decoded", "decoded_chunks", "Chunks that came as symbols."),
        counter("data_plane.chunks_asked", "asked_chunks", "Chunks that had to be asked for."),
        counter("data_plane.chunks_not_decoded", "undecoded_chunks", "Whose symbols lacked."),
        counter("data_plane.chunks_dropped", "dropped_chunks", "Whose symbols made room."),
        gauge("data_plane.backlog_bytes", "decode_backlog_bytes", "Symbols not decoded yet."),
        counter("data_plane.symbols_rejected", "rejected_symbols", "Symbols of no chunk."),
        counter("data_plane.symbols_surplus", "surplus_symbols", "Symbols not needed."),
        gauge("multicast.joined", "multicast_joined", "Whether it listens to the group."),
        counter("multicast.packets_heard", "multicast_heard_packets", "Packets of the leader."),
        counter("multicast.packets_rejected", "multicast_rejected_packets", "Of strangers."),
        counter("multicast.packets_replayed", "multicast_replayed_packets", "Come before."),
        counter("multicast.symbols_dropped", "multicast_dropped_symbols", "Without room."),
        counter("multicast.floods", "multicast_floods", "How often it left for strangers."),
        gauge("chunk_cache.bytes", "chunk_cache_bytes", "Disk that chunks take here."),
        gauge("chunk_cache.max_bytes", "chunk_cache_limit_bytes", "What they may take."),
        counter("chunk_cache.ended", "collections", "Collections that have ended."),
        counter("chunk_cache.failed", "collection_failures", "Collections that have failed."),
        counter("chunk_cache.evictions", "evicted_chunks", "Chunks that made room."),
        counter("chunk_cache.bytes_freed", "collected_bytes", "Bytes freed by collections."),
        gauge("uptime_ms", "uptime_seconds", "Since the worker's start.").times(MILLISECONDS));
  }

  static List<MetricRow> mount() {
    return List.of(
        gauge("mounted", "mounted", "Whether the workspace is mounted."),
        gauge("read_only", "read_only", "Whether the mount refuses mutations."),
        gauge("visibility.lease", "visibility_lease", "Whether it holds a lease on visibility."),
        gauge("generation", "generation", "How many processes have served this mount."),
        histogram("stages", "stage_seconds", "Way of a mutation of this mount, by stage.")
            .by("stage")
            .times(NANOSECONDS),
        counter("mutations", "mutations", "Mutations that the leader has answered."),
        gauge("pending_mutations", "pending_mutations", "Mutations under way."),
        counter("names_late", "late_names", "Changes visible before the kernel was through."),
        gauge("locks_held", "locks_held", "Locks of processes of this mount."),
        gauge("locks_waiting", "lock_requests_waiting", "Calls that wait for a lock."),
        counter("locks_lost", "locks_lost", "Locks that the leader has freed or lost."),
        gauge("locks_fenced", "locks_fenced", "Lost locks whose holders still write in vain."),
        counter("lock_warnings", "lock_warnings", "How often locks were about to be freed."),
        gauge("open_leases", "open_leases", "Nodes that the leader must keep for it."),
        counter("fsync_elided", "elided_fsyncs", "Calls of fsync with nothing to wait for."),
        counter("kernel_requests", "kernel_requests", "Requests of the kernel.").by("opcode"),
        gauge("kernel_inodes", "kernel_inodes", "Inodes that the kernel holds."),
        gauge("open_handles", "open_handles", "Files and directories that are open."),
        gauge("requests_in_flight", "requests_in_flight", "Requests of the kernel under way."),
        counter("reads_that_fetched", "fetching_reads", "Calls that waited for chunks."),
        counter("o_direct_opens", "o_direct_opens", "Opens whose O_DIRECT is ignored."),
        gauge("inotify.watched", "inotify_watched_inodes", "Watched inodes."),
        counter("inotify.shadow_calls", "inotify_shadow_calls", "Shadow calls reported."),
        counter("inotify.merged", "inotify_merged_calls", "Those that were merged."),
        counter("inotify.dropped", "inotify_dropped", "What had no room."),
        counter("inotify.given_up", "inotify_given_up_calls", "Calls given up."),
        counter("hazards.seen", "hazards_seen", "Entries with hazards that came by."),
        counter("hazards.here", "hazards_here", "Those that concern an agent of this worker."),
        counter("hazards.unreadable", "hazards_unreadable", "Hazards of a later version."),
        counter("notices.taken", "notices_taken", "What the leader has told besides the log."),
        counter("notices.missed", "notices_missed", "What it had no room for."),
        counter("agents.unknown_calls", "calls_without_agent", "Calls of nobody's processes."),
        gauge("agents.threads", "agent_threads", "Threads whose agents are known."),
        counter("agents.looks", "agent_looks", "How often a process was looked at."),
        counter("agents.looks_late", "agent_looks_late", "Calls that went on before that."),
        counter("agents.looks_refused", "agent_looks_refused", "Calls that did so at once."),
        gauge("agents.looks_stuck", "agent_looks_stuck", "Threads stuck with a look."));
  }

  static List<MetricRow> standby() {
    return List.of(
        MetricRow.gauge(Part.STANDBY, "complete", "complete", "Whether it could lead."),
        MetricRow.gauge(Part.STANDBY, "synced_index", "synced_index", "Last entry on its disk."),
        MetricRow.gauge(
            Part.STANDBY, "log_first_index", "log_first_index", "Oldest entry of its log."),
        MetricRow.gauge(Part.STANDBY, "lag_entries", "lag_entries", "Entries not on its disk."));
  }

  private static MetricRow gauge(String path, String name, String help) {
    return MetricRow.gauge(Part.WORKER, path, name, help);
  }

  private static MetricRow counter(String path, String name, String help) {
    return MetricRow.counter(Part.WORKER, path, name, help);
  }

  private static MetricRow histogram(String path, String name, String help) {
    return MetricRow.histogram(Part.WORKER, path, name, help);
  }
}
