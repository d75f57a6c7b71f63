package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.text.ShellWords;
import java.util.ArrayList;
import java.util.List;

/** Text output of {@code hypersync status}, from the tree of {@code docs/json.md}. */
public final class StatusReport {
  /** How many agents of a mount are listed; {@code --json} has all. */
  private static final int MOST_AGENTS = 12;

  private StatusReport() {}

  public static String render(JsonNode status) {
    StringBuilder text = new StringBuilder();
    for (JsonNode leader : status.path("leaders")) {
      appendLeader(text, leader);
    }
    if (!status.path("workers").isEmpty()) {
      text.append(separator(text)).append("Workers on this machine\n");
      text.append(mounts(status.path("workers")).render("  "));
      appendWaiting(text, status.path("workers"));
      MulticastReport.appendHeard(text, status.path("workers"));
      for (JsonNode worker : status.path("workers")) {
        text.append(ProgressReport.of(worker, "  "));
        SuccessionReport.append(text, worker);
        String certificate = CertificateReport.warning(worker.path("certificate"));
        if (!certificate.isEmpty()) {
          text.append("  certificate of worker ")
              .append(text(worker, "worker_id"))
              .append(' ')
              .append(certificate)
              .append('\n');
        }
        appendAgents(text, worker);
        appendHazards(text, worker);
        IgnoredReport.append(text, worker);
        for (JsonNode past : worker.path("past_mounts")) {
          text.append("  ")
              .append(Printable.line(past.path("mount").asText()))
              .append(" shows the state of entry ")
              .append(past.path("index").asText())
              .append('\n');
        }
      }
    }
    StandbyReport.append(text, status.path("standbys"));
    for (JsonNode daemon : status.path("unresponsive")) {
      text.append(separator(text))
          .append(text(daemon, "socket"))
          .append(" does not answer: ")
          .append(text(daemon, "reason"))
          .append('\n');
    }
    for (JsonNode daemon : status.path("dead")) {
      text.append(separator(text))
          .append("The ")
          .append(text(daemon, "role"))
          .append(" of ")
          .append(text(daemon, "socket"))
          .append(" is dead.\n");
    }
    for (JsonNode mount : status.path("dead_mounts")) {
      text.append(separator(text))
          .append(Printable.line(mount.asText()))
          .append(" is the mount of a dead worker; clear it away with: ./hypersync umount ")
          .append(ShellWords.quoted(mount.asText()))
          .append('\n');
    }
    return text.toString();
  }

  private static void appendLeader(StringBuilder text, JsonNode leader) {
    text.append(separator(text))
        .append("Leader of workspace ")
        .append(text(leader, "workspace_name"))
        .append(" (")
        .append(Quantities.shortHex(leader.path("workspace").asText()))
        .append("), pid ")
        .append(text(leader, "pid"))
        .append(", up ")
        .append(Quantities.uptime(leader.path("uptime_ms").asLong()))
        .append(", listens on ")
        .append(text(leader, "address"))
        .append('\n');
    line(text, "commit index", count(leader, "commit_index"), "root", root(leader));
    line(text, "files", count(leader, "files"), "data", bytes(leader, "bytes"));
    JsonNode snapshots = leader.path("snapshots");
    if (snapshots.path("newest_index").asLong() > 0) {
      line(
          text,
          "snapshot",
          "entry " + Quantities.count(snapshots.path("newest_index").asLong()),
          "",
          Quantities.uptime(snapshots.path("newest_age_ms").asLong())
              + " ago"
              + CostReport.ofSnapshot(snapshots));
    }
    if (!snapshots.path("last_failure").asText("").isEmpty()
        && !snapshots.path("last_failure").isNull()) {
      line(text, "no snapshot", snapshots.path("last_failure").asText(), "", "");
    }
    JsonNode restore = leader.path("restore");
    if (restore.isObject()) {
      line(
          text,
          "restore",
          "to entry " + Quantities.count(restore.path("at_index").asLong()),
          "",
          Quantities.count(restore.path("actions_done").asLong())
              + " of "
              + Quantities.count(restore.path("actions").asLong())
              + " actions");
    }
    if (leader.path("orphans").asLong() > 0) {
      line(text, "unlinked", count(leader, "orphans"), "", "kept until nobody has them open");
    }
    String reservations = ReservationsReport.line(leader.path("reservations"));
    if (!reservations.isEmpty()) {
      line(text, "reserved", reservations, "", "");
    }
    String mail = MailReport.line(leader.path("agent_mail"));
    if (!mail.isEmpty()) {
      line(text, "mail", mail, "", "");
    }
    String certificates = CertificateReport.warning(leader.path("certificate"));
    if (!certificates.isEmpty()) {
      line(text, "certificate", certificates, "", "");
    }
    log(text, leader);
    line(
        text,
        "commit p50",
        micros(leader, "commit_latency_us_p50"),
        "p99",
        micros(leader, "commit_latency_us_p99"));
    Table workers =
        Table.of(
            "WORKER",
            "STATE",
            ">APPLIED",
            ">LAG",
            "ROOT",
            "CHUNKS",
            ">CPU",
            ">MEM",
            ">DISK",
            "ADDRESS");
    for (JsonNode worker : leader.path("workers")) {
      workers.row(
          worker.path("worker_id").asText(),
          state(worker),
          count(worker, "applied_index"),
          count(worker, "lag"),
          root(worker),
          worker.path("data_plane").path("delivery").asText("-"),
          percent(worker, "cpu_percent"),
          percent(worker, "memory_percent"),
          percent(worker, "disk_percent"),
          worker.path("address").asText("-"));
    }
    text.append(workers.isEmpty() ? nobody(leader) : workers.render("  "));
    MulticastReport.append(text, leader);
    StandbyReport.appendOfLeader(text, leader.path("workers"), leader.path("sync_standby"));
    for (JsonNode worker : leader.path("workers")) {
      text.append(ProgressReport.of(worker, "  "));
    }
    if (!leader.path("absent").isEmpty()) {
      text.append('\n').append(absent(leader.path("absent")).render("  "));
    }
  }

  private static String nobody(JsonNode leader) {
    if (!leader.path("absent").isEmpty() || leader.path("workers_greeted").asLong() > 0) {
      return "  no worker is connected\n";
    }
    // Entry 1 is the leader's own (genesis): with more entries there were workers in an earlier
    // run.
    return leader.path("commit_index").asLong() > 1
        ? "  no worker has connected since the leader was started\n"
        : "  no worker has connected yet\n";
  }

  /** Workers that have left or were refused, newest first. */
  private static Table absent(JsonNode workers) {
    Table table = Table.of("NOT HERE", "STATE", ">SINCE", ">TIMES", "ADDRESS", "WHY");
    for (JsonNode worker : workers) {
      String state = worker.path("state").asText();
      table.row(
          worker.path("worker_id").asText(),
          "duplicate".equals(state) ? "used twice" : state,
          Quantities.uptime(worker.path("since_ms").asLong()),
          count(worker, "times"),
          worker.path("address").asText("-"),
          worker.path("reason").asText()
              + ("duplicate".equals(state)
                  ? ": two machines use its token; make another for one of them"
                  : ""));
    }
    return table;
  }

  /**
   * Appends a line for each worker without a live link: which leader it waits for, how long and
   * why.
   */
  private static void appendWaiting(StringBuilder text, JsonNode workers) {
    for (JsonNode worker : workers) {
      String link = worker.path("link").asText("live");
      if (link.equals("live")) {
        continue;
      }
      boolean isRefused = link.equals("refused");
      Table line = Table.of("");
      line.row(
          worker.path("worker_id").asText()
              + (isRefused ? " is refused by the leader at " : " waits for the leader at ")
              + worker.path("leader").asText()
              + " for "
              + Quantities.uptime(worker.path("link_down_ms").asLong())
              + ": "
              + worker.path("link_reason").asText());
      text.append(line.body("  "));
      if (isRefused) {
        text.append(
            "    It does not try again. Mend the reason, then end it and start it again.\n");
      }
    }
  }

  /** Appends who has changed something on a mount lately, as far as the processes say it. */
  private static void appendAgents(StringBuilder text, JsonNode worker) {
    JsonNode seen = worker.path("agents").path("seen");
    if (seen.isEmpty()) {
      return;
    }
    List<String> agents = new ArrayList<>();
    for (JsonNode agent : seen) {
      if (agents.size() == MOST_AGENTS) {
        agents.add(Quantities.count(seen.size() - MOST_AGENTS) + " more");
        break;
      }
      agents.add(
          Printable.line(agent.path("agent").asText())
              + " ("
              + Quantities.uptime(agent.path("last_call_ms").asLong())
              + " ago)");
    }
    text.append("  agents on ")
        .append(text(worker, "worker_id"))
        .append(": ")
        .append(String.join(", ", agents))
        .append('\n');
  }

  /** Appends how many hazards concern a mount, and the last one. */
  private static void appendHazards(StringBuilder text, JsonNode worker) {
    JsonNode latest = worker.path("hazards").path("latest");
    if (latest.isEmpty()) {
      return;
    }
    text.append("  hazards on ")
        .append(text(worker, "worker_id"))
        .append(": ")
        .append(count(worker.path("hazards"), "here"))
        .append(", the last: ")
        .append(HazardsReport.line(latest.path(latest.size() - 1)))
        .append('\n');
  }

  /** Appends the size of the log; preallocated space is shown apart from used space. */
  private static void log(StringBuilder text, JsonNode leader) {
    JsonNode ahead = leader.path("log_preallocated_bytes");
    String used =
        ahead.isNumber()
            ? Quantities.bytes(leader.path("log_bytes").asLong() - ahead.asLong())
            : bytes(leader, "log_bytes");
    line(text, "log", used, "chunks", bytes(leader, "chunk_bytes"));
    if (leader.path("log_first_index").asLong() > 1) {
      line(
          text,
          "log begins",
          "entry " + count(leader, "log_first_index"),
          "snapshots",
          count(leader.path("snapshots"), "count"));
    }
    if (leader.path("log_trimmed_for_size").asLong() > 0) {
      line(
          text,
          "log too large",
          count(leader, "log_trimmed_for_size") + " entries gone",
          "for",
          "log.max_bytes, before their time");
    }
    JsonNode collected = leader.path("gc").path("last");
    if (collected.isObject()) {
      line(
          text,
          "collection",
          bytes(collected, "bytes_live") + " live",
          "pinned",
          CostReport.ofCollection(collected));
    }
    if (ahead.isNumber()) {
      line(text, "preallocated", bytes(leader, "log_preallocated_bytes"), "for", "the log");
    }
  }

  private static Table mounts(JsonNode workers) {
    Table table =
        Table.of(
            "WORKER",
            "MOUNT",
            "STATE",
            ">APPLIED",
            ">LAG",
            "ROOT",
            ">FETCHED",
            ">P50",
            ">P99",
            ">PID");
    for (JsonNode worker : workers) {
      table.row(
          worker.path("worker_id").asText(),
          worker.path("mount").asText(),
          state(worker),
          count(worker, "applied_index"),
          Quantities.count(
              Math.max(
                  0, worker.path("commit_index").asLong() - worker.path("applied_index").asLong())),
          root(worker),
          count(worker, "reads_that_fetched"),
          micros(worker, "commit_latency_us_p50"),
          micros(worker, "commit_latency_us_p99"),
          worker.path("pid").asText());
    }
    return table;
  }

  /** Returns the most severe condition of a worker, or "ok". */
  private static String state(JsonNode worker) {
    JsonNode error = worker.path("apply_error");
    if (error.isObject()) {
      return "stopped at " + error.path("log_index").asText() + ": " + error.path("errno").asText();
    }
    if (worker.path("installing").asBoolean() || worker.path("install").isObject()) {
      return "installing";
    }
    if (worker.path("link").asText().equals("refused")) {
      return "refused";
    }
    if (!worker.path("mounted").asBoolean(true)) {
      return worker.path("connected").asBoolean() ? "catching up" : "waiting";
    }
    if (!worker.path("connected").asBoolean()) {
      return "disconnected";
    }
    return worker.path("read_only").asBoolean() ? "read-only" : "ok";
  }

  private static void line(
      StringBuilder text, String name1, String value1, String name2, String value2) {
    text.append(String.format("  %-13s %-22s %-7s %s%n", name1, value1, name2, value2));
  }

  private static String separator(StringBuilder text) {
    return text.isEmpty() ? "" : "\n";
  }

  private static String text(JsonNode tree, String key) {
    return Printable.line(tree.path(key).asText("?"));
  }

  private static String count(JsonNode tree, String key) {
    return tree.path(key).isNumber() ? Quantities.count(tree.path(key).asLong()) : "-";
  }

  private static String bytes(JsonNode tree, String key) {
    return tree.path(key).isNumber() ? Quantities.bytes(tree.path(key).asLong()) : "-";
  }

  private static String micros(JsonNode tree, String key) {
    return tree.path(key).isNumber() ? Quantities.micros(tree.path(key).asLong()) : "-";
  }

  /** Returns a worker machine's CPU, memory or disk use as the worker reported it. */
  private static String percent(JsonNode worker, String key) {
    JsonNode percent = worker.path("local_pressure").path(key);
    return percent.isNumber() ? percent.asInt() + "%" : "-";
  }

  private static String root(JsonNode tree) {
    return Quantities.shortHex(tree.path("root").asText("-"));
  }
}
