package io.hypersync.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.cli.render.Quantities;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The daemons of this host. */
final class OverviewSheet {
  private static final List<Column> COLUMNS =
      List.of(
          Column.text(
              "daemon",
              "DAEMON",
              "A leader, a worker or a standby of this host.",
              "All figures come from these, over their admin sockets. No mount is touched.",
              "One is missing that you have started."),
          Column.text(
              "state",
              "STATE",
              "ok, or the worst that is known: silent, dead, stopped, read-only, disconnected.",
              "A mount that is not ok refuses changes, or shows what is old.",
              "It is not ok for more than some seconds: enter says why, and findings what to do."),
          Column.number(
              "index",
              "INDEX",
              "The newest entry of the log that it has and shows; of a leader, has made durable.",
              "Every change is one entry. Hosts with the same index show the same.",
              "It stands still while the others' grows."),
          Column.number(
              "lag_entries",
              "LAG",
              "How many entries it is behind the newest one that it knows of.",
              "What is behind is not seen by the agents of that mount.",
              "More than some hundred, or growing."),
          Column.number(
              "changes_per_s",
              "CHANGES/S",
              "Of a leader: entries committed in a second. Of a worker: changes through its mount.",
              "What your agents do, in one figure.",
              "0 while agents work: see findings."),
          Column.number(
              "p50_us",
              "P50",
              "Half of all changes since the start took no longer.",
              "A program waits so long for each change that it makes.",
              "More than some milliseconds on one host: see latency."),
          Column.number(
              "p99_us",
              "P99",
              "99 of 100 changes since the start took no longer.",
              "What agents feel as stalls.",
              "More than 50 ms: see latency."),
          Column.number(
              "uptime_ms",
              "UP",
              "How long its process runs.",
              "A daemon that was started again has lost its counters, never its files.",
              "It is short, and nobody has restarted it."));

  private OverviewSheet() {}

  static Sheet of(TopModel model) {
    List<Row> rows = new ArrayList<>();
    for (Watched each : model.daemons()) {
      rows.add(row(model, each));
    }
    List<String> notes = new ArrayList<>();
    if (model.daemons().isEmpty()) {
      notes.add("No HyperSync daemon runs on this machine (looked in " + model.searched() + ").");
    }
    if (model.unasked() > 0) {
      notes.add(Quantities.count(model.unasked()) + " more daemons are not asked: too many.");
    }
    return Sheet.of(View.OVERVIEW, notes, COLUMNS, rows);
  }

  private static Row row(TopModel model, Watched each) {
    JsonNode status = each.status();
    boolean isLeader = each.role().equals("leader");
    JsonNode index = status.path(isLeader ? "commit_index" : "applied_index");
    String counter = isLeader ? "commit_index" : "mutations";
    List<String> details = new ArrayList<>();
    details.add("socket " + each.socket());
    for (String key : List.of("workspace", "mount", "leader", "address", "version", "pid")) {
      if (status.path(key).isValueNode() && !status.path(key).isNull()) {
        details.add(key + " " + status.path(key).asText());
      }
    }
    if (!each.trouble().isEmpty()) {
      details.add(each.trouble());
    }
    String reason = status.path("link_reason").asText("");
    if (!reason.isEmpty() && !status.path("link").asText().equals("live")) {
      details.add("it waits for its leader: " + reason);
    }
    return new Row(
        each.workspace(),
        List.of(
            Cell.text(each.name()),
            Cell.text(state(model, each)),
            Cell.count(index),
            isLeader ? Cell.NONE : lag(status),
            Cell.rate(each.rate(status.path(counter), each.before().path(counter))),
            Cell.micros(status.path("commit_latency_us_p50")),
            Cell.micros(status.path("commit_latency_us_p99")),
            Cell.duration(status.path("uptime_ms"))),
        details);
  }

  private static Cell lag(JsonNode status) {
    JsonNode behind = status.path("catch_up").path("entries_behind");
    return status.path("lag_entries").isNumber()
        ? Cell.count(status.path("lag_entries"))
        : Cell.count(behind);
  }

  /** The worst that is known of a daemon, or "ok". */
  static String state(TopModel model, Watched each) {
    long silentNs = model.silentNs(each);
    if (silentNs > 0) {
      return each.isDead()
          ? "dead"
          : "silent " + Quantities.uptime(TimeUnit.NANOSECONDS.toMillis(silentNs));
    }
    return each.status().isMissingNode() ? "asked" : stateOf(each.status());
  }

  /** The same, by its own words. */
  static String stateOf(JsonNode status) {
    if (status.path("role").asText().equals("leader")) {
      return status.path("sync_standby").path("holds_start").asBoolean() ? "waits" : "ok";
    }
    if (status.path("apply_error").isObject()) {
      return "stopped";
    }
    if (status.path("installing").asBoolean() || status.path("install").isObject()) {
      return "installing";
    }
    if (status.path("link").asText().equals("refused")) {
      return "refused";
    }
    if (!status.path("mounted").asBoolean(true)) {
      return status.path("connected").asBoolean() ? "catching up" : "waiting";
    }
    if (!status.path("connected").asBoolean(true)) {
      return "disconnected";
    }
    return status.path("read_only").asBoolean() ? "read-only" : "ok";
  }
}
