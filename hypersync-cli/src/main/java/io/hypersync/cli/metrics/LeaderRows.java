package io.hypersync.cli.metrics;

import static io.hypersync.cli.metrics.MetricRow.MICROSECONDS;
import static io.hypersync.cli.metrics.MetricRow.MILLISECONDS;
import static io.hypersync.cli.metrics.MetricRow.NANOSECONDS;
import static io.hypersync.cli.metrics.MetricRow.PERCENT;

import io.hypersync.cli.metrics.MetricRow.Part;
import java.util.List;

/** The metrics of a leader (hypersync.md 16, 6.3.1, 8.1.1, 12.5, 22.1). */
final class LeaderRows {
  private LeaderRows() {}

  static List<MetricRow> log() {
    return List.of(
        gauge("commit_index", "commit_index", "Newest durable entry of the log."),
        gauge("term", "term", "Grows with each takeover by another state directory."),
        gauge("files", "files", "Nodes that have a name."),
        gauge("bytes", "content_bytes", "Bytes of all nodes, of those without a name, too."),
        gauge("log_bytes", "log_bytes", "Disk that the log takes, allocated ahead of use."),
        gauge(
            "log_preallocated_bytes",
            "log_preallocated_bytes",
            "How much of that holds nothing yet."),
        gauge("log_first_index", "log_first_index", "Oldest entry that the log has."),
        counter(
            "log_trimmed_for_size",
            "log_entries_trimmed_for_size",
            "Entries that went early because the log was too large."),
        histogram("batches.latency", "commit_seconds", "From an intent to its durable entry.")
            .times(NANOSECONDS),
        histogram("batches.ops", "batch_operations", "Operations of a group commit."),
        histogram("batches.bytes", "batch_bytes", "Payload of a group commit."),
        histogram("stages", "stage_seconds", "Way of an intent through the leader, by stage.")
            .by("stage")
            .times(NANOSECONDS),
        histogram("merkle.update", "merkle_update_seconds", "Computing the root after an entry.")
            .times(NANOSECONDS),
        gauge("merkle.tree_depth", "merkle_tree_depth", "Longest path from the root to a node."),
        counter(
            "merkle.rebalance_count",
            "merkle_rebalances",
            "Stays 0: the shape of the trie depends on its keys only."),
        gauge("pending_intents", "pending_intents", "Intents that wait for their entry."),
        gauge(
            "unacknowledged",
            "unacknowledged_entries",
            "Entries whose acks wait for the disk or for other mounts."),
        counter(
            "deduplicated_intents",
            "deduplicated_intents",
            "Intents that were sent again and found in the log."),
        counter("root_audits", "root_audits", "Replays because a worker doubted a root."),
        gauge("uptime_ms", "uptime_seconds", "Since the leader's start.").times(MILLISECONDS));
  }

  static List<MetricRow> coordination() {
    return List.of(
        gauge("locks.held", "locks_held", "Locks that are held."),
        gauge("locks.waiting", "lock_requests_waiting", "Requests that wait for a lock."),
        gauge("locks.expiring", "locks_expiring", "Locks whose worker is late with renewing them."),
        counter("locks.requests", "lock_requests", "Requests for locks."),
        counter("locks.contended", "lock_requests_contended", "Requests that had to wait or fail."),
        counter("locks.deadlocks", "lock_deadlocks", "Requests refused for a deadlock."),
        counter("locks.expired", "locks_expired", "Locks that ended with their lease."),
        counter("locks.reclaimed", "locks_reclaimed", "Locks freed as their worker started again."),
        counter("locks.fenced", "lock_fenced_mutations", "Mutations refused for lost locks."),
        counter("hazards", "hazards", "Work of different agents that is in each other's way.")
            .by("kind"),
        counter("hazards_us", "hazard_detection_seconds", "Processor time of finding hazards.")
            .times(MICROSECONDS),
        gauge("reservations.fresh", "reservations_fresh", "Whether reservations are up to date."),
        gauge("reservations.age_ms", "reservations_age_seconds", "Since the last successful look.")
            .times(MILLISECONDS),
        gauge("reservations.active", "reservations", "Reservations in force."),
        gauge("reservations.exclusive", "reservations_exclusive", "Those for their holder alone."),
        gauge("reservations.conflicts", "reservation_conflicts", "Pairs in each other's way."),
        gauge(
            "reservations.elsewhere",
            "reservations_elsewhere",
            "Reservations outside of this workspace."),
        gauge("reservations.dropped", "reservations_dropped", "Left out: there are too many."),
        gauge("reservations.damaged", "reservation_files_damaged", "Files that make no sense."),
        gauge("reservations.unusable", "reservation_files_unusable", "Files about no path here."),
        gauge("reservations.unread", "reservation_files_unread", "Files beyond the limits."),
        counter("reservations.refused", "reservation_refusals", "Calls refused for a reservation."),
        counter("agent_mail.sent", "mails_sent", "Mails about hazards that have arrived."),
        gauge("agent_mail.pending", "mails_pending", "Pairs of agents and paths yet to be told."),
        counter("agent_mail.dropped", "mails_dropped", "Hazards that are not mailed."),
        counter("agent_mail.blocked", "mails_blocked", "Recipients the server refuses to tell."),
        counter("agent_mail.uncertain", "mails_uncertain", "Mails that perhaps have not arrived."),
        gauge(
                "agent_mail.backing_off_ms",
                "mail_backing_off_seconds",
                "How long the mail server is left alone.")
            .times(MILLISECONDS),
        gauge("visibility.in_force", "visible_everywhere", "Whether acks wait for all mounts."),
        counter("visibility.cut_offs", "visibility_cut_offs", "Workers not waited for any more."),
        gauge("presence.online", "workers_online", "Workers that are connected."),
        gauge("presence.offline", "workers_offline", "Workers that are away, within their lease."),
        counter("presence.resume_tokens", "resume_tokens", "Resume tokens shown, by the verdict.")
            .by("verdict"),
        counter("workers_greeted", "worker_sessions", "Sessions of workers established."),
        gauge("absent", "workers_absent", "Newest 64 workers that have left or were refused.")
            .countedBy("state"),
        counter("notices.posted", "notices_posted", "What workers were told besides the log."),
        gauge("notices.waiting", "notices_waiting", "Notices for workers that are away."),
        counter("notices.dropped", "notices_dropped", "Notices without room, or too old."),
        counter("received", "messages_received", "Messages of workers, by kind.").by("kind"),
        counter("refused", "refusals", "What workers sent beyond their quotas.").by("quota"),
        counter("handshakes", "handshakes", "What peers have asked for at the port.").by("event"));
  }

  static List<MetricRow> storage() {
    return List.of(
        gauge("chunk_bytes", "chunk_store_bytes", "Disk that chunks take."),
        gauge("chunks", "chunk_store_chunks", "Stored chunks."),
        gauge("orphans", "orphans", "Nodes without a name that are kept."),
        gauge("open_leases", "open_leases", "Nodes that workers have open."),
        counter("reaped", "orphans_reaped", "Orphans forgotten."),
        gauge("repair.searches", "repair_searches", "Lost chunks that workers are asked for."),
        counter("repair.recovered", "repair_recovered_chunks", "Chunks that came back."),
        counter("repair.failed", "repair_failures", "Searches that ended without the chunk."),
        gauge("restore.actions", "restore_actions", "Of the restore that is under way."),
        gauge("restore.actions_done", "restore_actions_done", "How many of them are done."),
        gauge("gc.running", "collection_running", "Whether dead chunks are being collected."),
        counter("gc.ended", "collections", "Collections that have ended."),
        counter("gc.failed", "collection_failures", "Collections that have failed."),
        gauge(
            "gc.collected_through",
            "collected_through_index",
            "Chunks that only entries up to this one need may be gone."),
        gauge(
            "gc.last.log_after",
            "collection_log_after_index",
            "Chunks of the entries behind this one were kept by the last collection."),
        gauge("gc.last.bytes_live", "collection_live_bytes", "Live, as the last one found."),
        gauge("gc.last.bytes_pinned", "collection_pinned_bytes", "Kept by pins alone."),
        gauge("gc.last.bytes_dead", "collection_dead_bytes", "Dead, as the last one found."),
        gauge("gc.last.bytes_freed", "collection_freed_bytes", "Freed by the last one."),
        gauge(
            "gc.last.unreadable_chunks",
            "collection_unreadable_chunks",
            "Chunks that the last one could not read."),
        gauge("gc.last.took_ms", "collection_duration_seconds", "What the last one took.")
            .times(MILLISECONDS),
        gauge("scrub.running", "scrub_running", "Whether all that is stored is being read."),
        counter("scrub.ended", "scrubs", "Scrubs that have ended."),
        counter("scrub.failed", "scrub_failures", "Scrubs that have failed."),
        gauge("scrub.last.bad", "scrub_bad_chunks", "Rotten chunks that the last one found."),
        gauge("scrub.last.mended", "scrub_mended_chunks", "Those of them that were mended."),
        gauge("scrub.last.lost", "scrub_lost_chunks", "Those that nobody has any more."),
        gauge("scrub.last.took_ms", "scrub_duration_seconds", "What the last one took.")
            .times(MILLISECONDS),
        gauge("state_memory.bytes", "state_memory_bytes", "Heap of what is in no snapshot yet."),
        gauge("state_memory.limit", "state_memory_limit_bytes", "What that may be."),
        counter("state_memory.refused", "state_memory_refusals", "Calls that got ENOSPC for it."));
  }

  static List<MetricRow> dataPlane() {
    return List.of(
        gauge("multicast.workers_told", "multicast_workers_told", "Workers that know the group."),
        gauge("multicast.workers_hearing", "multicast_workers_hearing", "Those that hear it."),
        gauge(
            "multicast.worst_loss", "multicast_worst_loss_ratio", "Largest share that one loses."),
        gauge("multicast.waiting_bytes", "multicast_waiting_bytes", "Waiting for the rate."),
        counter("multicast.chunks", "multicast_chunks", "Chunks that went to all."),
        counter("multicast.packets", "multicast_packets", "Their packets."),
        counter("multicast.bytes", "multicast_bytes", "The bytes of these."),
        counter("multicast.chunks_refused", "multicast_refused_chunks", "Chunks without room."));
  }

  static List<MetricRow> workers() {
    return List.of(
        each("connected", "connected", "Whether it has a session."),
        each("heard_ms", "heard_age_seconds", "Since its last message.").times(MILLISECONDS),
        each("applied_index", "applied_index", "Newest entry that it shows."),
        each("lag", "lag_entries", "How many entries it is behind."),
        each("installing", "installing", "Whether it installs a snapshot."),
        each("read_only", "read_only", "Whether its mount refuses mutations."),
        each("missing_chunks", "missing_chunks", "Chunks that it waits for."),
        each("catch_up.entries_per_s", "catch_up_entries_per_second", "What it makes visible."),
        each("catch_up.ms_left", "catch_up_left_seconds", "How long it takes yet.")
            .times(MILLISECONDS),
        each("local_pressure.cpu_percent", "cpu_ratio", "Load of its host.").times(PERCENT),
        each("local_pressure.memory_percent", "memory_ratio", "Memory in use there.")
            .times(PERCENT),
        each("local_pressure.disk_percent", "disk_ratio", "How full its disk is.").times(PERCENT),
        each("local_pressure.sync_lag_ms", "sync_lag_seconds", "Arrival to visibility, p95.")
            .times(MILLISECONDS),
        each("local_pressure.commit_rtt_ms", "commit_rtt_seconds", "Intent to entry, p95.")
            .times(MILLISECONDS),
        each("local_pressure.agents", "agents", "Agents that have changed something lately."),
        each("placement.stable", "placement_stable", "Whether it gets agents."),
        each("placement.cost", "placement_cost", "Cost that is believed; 1 is at all limits."),
        MetricRow.counter(
                Part.LEADER,
                "rate_limit_rejections",
                "worker_rate_limit_rejections",
                "Intents refused with RATE_LIMITED.")
            .ofEachWorker(),
        MetricRow.summary(
                Part.LEADER,
                "intents_per_s",
                "worker_intents_per_second",
                "Intents taken in a second, over seconds with any.")
            .ofEachWorker(),
        each("data_plane.loss", "packet_loss_ratio", "Packets to it that were lost lately."),
        each("data_plane.rtt_us", "rtt_seconds", "Round trip.").times(MICROSECONDS),
        each("data_plane.window_bytes", "window_bytes", "What may be in datagrams to it."),
        each("data_plane.on_the_way_bytes", "on_the_way_bytes", "What is."),
        each("data_plane.waiting_bytes", "waiting_bytes", "Of chunks that wait for that."),
        each("data_plane.quic_window_bytes", "quic_window_bytes", "What QUIC lets be on its way."),
        each("data_plane.backlog_bytes", "decode_backlog_bytes", "Symbols it cannot decode yet."),
        each("apply_error.log_index", "apply_error_index", "The entry at which it has stopped."),
        each("standby.complete", "standby_complete", "Whether a standby could lead."),
        each("standby.lag_entries", "standby_lag_entries", "Not on the standby's disk yet."),
        each("standby.lag_ms", "standby_lag_seconds", "How old the oldest of them is.")
            .times(MILLISECONDS));
  }

  private static MetricRow each(String path, String name, String help) {
    return gauge(path, "worker_" + name, help).ofEachWorker();
  }

  private static MetricRow gauge(String path, String name, String help) {
    return MetricRow.gauge(Part.LEADER, path, name, help);
  }

  private static MetricRow counter(String path, String name, String help) {
    return MetricRow.counter(Part.LEADER, path, name, help);
  }

  private static MetricRow histogram(String path, String name, String help) {
    return MetricRow.histogram(Part.LEADER, path, name, help);
  }
}
