package io.hypersync.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Workers of all hosts, where the leader is here; else those of this one. */
final class HostsSheet {
  private static final List<Column> COLUMNS =
      List.of(
          Column.text(
              "worker",
              "WORKER",
              "The name of a worker or a standby; each has a host of its own, mostly.",
              "Agents on it see the workspace through it.",
              "One is missing."),
          Column.text(
              "state",
              "STATE",
              "ok, or what is wrong: installing, stopped, read-only, disconnected, left, refused.",
              "On a mount that is not ok agents cannot work, or see what is old.",
              "It is not ok for more than some seconds."),
          Column.number(
              "lag_entries",
              "LAG",
              "How many entries it does not show yet.",
              "Its agents work on what others have changed already.",
              "More than some hundred, or growing."),
          Column.number(
              "visible_ms",
              "VISIBLE",
              "From an entry's arrival there until it is shown, p95 of the last seconds.",
              "How old what its agents see is, beside the network.",
              "More than 100 ms."),
          Column.number(
              "commit_ms",
              "COMMIT",
              "From a change there until it is durable here, p95 of the last seconds.",
              "Its agents wait so long for each change: a round trip and a disk flush.",
              "Much more than ping and the others' figures."),
          Column.number(
              "cpu_percent",
              "CPU",
              "Load of a processor of its host.",
              "Whoever waits for a processor is slow everywhere.",
              "More than 90% for long: place says where there is room."),
          Column.number(
              "memory_percent",
              "MEM",
              "Memory of its host that cannot be had any more.",
              "When it is full, the kernel ends processes.",
              "More than 90%."),
          Column.number(
              "disk_percent",
              "DISK",
              "Of the filesystem with its state.",
              "When it is full, it cannot apply changes.",
              "More than 90%."),
          Column.number(
              "agents",
              "AGENTS",
              "Agents that have changed something there within ten minutes.",
              "How work is spread.",
              "All are on one host."),
          Column.text(
              "address",
              "ADDRESS",
              "From where it is connected.",
              "Which machine it is.",
              "It is none that you know."));

  private HostsSheet() {}

  static Sheet of(TopModel model) {
    List<Row> rows = new ArrayList<>();
    Set<String> led = new HashSet<>();
    for (Watched leader : model.known("leader")) {
      led.add(leader.workspace());
      for (JsonNode worker : leader.status().path("workers")) {
        rows.add(ofLeader(leader, worker));
      }
      for (JsonNode worker : leader.status().path("absent")) {
        rows.add(absent(leader, worker));
      }
    }
    List<String> notes = new ArrayList<>();
    for (Watched worker : model.known("worker")) {
      if (!led.contains(worker.workspace())) {
        rows.add(own(model, worker));
        notes.add(
            worker.name()
                + ": its leader is at "
                + worker.status().path("leader").asText("?")
                + "; hypersync top there shows all hosts.");
      }
    }
    return Sheet.of(View.HOSTS, notes, COLUMNS, rows);
  }

  private static Row ofLeader(Watched leader, JsonNode worker) {
    JsonNode load = worker.path("local_pressure");
    List<String> details = new ArrayList<>();
    for (JsonNode reason : worker.path("placement").path("reasons")) {
      details.add("gets no agents: " + reason.path("text").asText());
    }
    JsonNode error = worker.path("apply_error").path("message");
    if (error.isTextual()) {
      details.add("it has stopped: " + error.asText());
    }
    JsonNode plane = worker.path("data_plane");
    if (plane.isObject()) {
      details.add(
          "chunks go there by "
              + plane.path("delivery").asText()
              + ", round trip "
              + plane.path("rtt_us").asText("?")
              + " us, lost "
              + Math.round(100 * plane.path("loss").asDouble())
              + "%");
    }
    details.add(
        "say something to its people: ./hypersync message "
            + Commands.quoted(worker.path("worker_id").asText())
            + " \"...\"");
    String state =
        worker.path("connected").asBoolean(true) ? OverviewSheet.stateOf(worker) : "disconnected";
    return new Row(
        leader.workspace(),
        List.of(
            Cell.text(worker.path("worker_id")),
            Cell.text(worker.path("standby").isObject() ? "standby, " + state : state),
            Cell.count(worker.path("lag")),
            ms(load.path("sync_lag_ms")),
            ms(load.path("commit_rtt_ms")),
            Cell.percent(load.path("cpu_percent")),
            Cell.percent(load.path("memory_percent")),
            Cell.percent(load.path("disk_percent")),
            Cell.count(load.path("agents")),
            Cell.text(worker.path("address"))),
        details);
  }

  private static Cell ms(JsonNode ms) {
    return ms.isNumber() ? new Cell(ms, Math.round(10 * ms.asDouble()) / 10.0 + " ms") : Cell.NONE;
  }

  private static Row absent(Watched leader, JsonNode worker) {
    return new Row(
        leader.workspace(),
        List.of(
            Cell.text(worker.path("worker_id")),
            Cell.text(worker.path("state")),
            Cell.NONE,
            Cell.NONE,
            Cell.NONE,
            Cell.NONE,
            Cell.NONE,
            Cell.NONE,
            Cell.NONE,
            Cell.text(worker.path("address"))),
        List.of(
            "since " + Cell.duration(worker.path("since_ms")).text(),
            worker.path("reason").asText()));
  }

  private static Row own(TopModel model, Watched worker) {
    return new Row(
        worker.workspace(),
        List.of(
            Cell.text(worker.status().path("worker_id")),
            Cell.text(OverviewSheet.state(model, worker)),
            Cell.count(worker.status().path("catch_up").path("entries_behind")),
            Cell.NONE,
            Cell.NONE,
            Cell.NONE,
            Cell.NONE,
            Cell.NONE,
            Cell.NONE,
            Cell.text("this host")));
  }
}
