package io.hypersync.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.hypersync.cli.render.Quantities;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Agents of the mounts of this host, and those of others that the newest entries name. */
final class AgentsSheet {
  private static final List<Column> COLUMNS =
      List.of(
          Column.text(
              "agent",
              "AGENT",
              "The name that its processes say (HYPERSYNC_AGENT and others).",
              "The log has it with each change. Anybody can take any name.",
              "Two agents have one name: nobody can tell their work apart."),
          Column.text(
              "worker",
              "WORKER",
              "The worker on whose mount it works.",
              "An agent is as fast as its host.",
              "Never."),
          Column.number(
              "calls_per_s",
              "CALLS/S",
              "Calls in a second that were to change something; of mounts of this host only.",
              "Who is busy, and who is stuck.",
              "One agent has most of all: see hot for what should be local."),
          Column.number(
              "calls",
              "CALLS",
              "The same, since the agent is known to its worker.",
              "How much it has done.",
              "Never."),
          Column.number(
              "changes",
              "CHANGES",
              "Its entries among the newest ones of the log, at most 1,000 while this runs.",
              "It is known of agents of all hosts, where the leader is on this one.",
              "Never."),
          Column.number(
              "hazards",
              "HAZARDS",
              "Entries that overlap with another agent's work, whichever came first.",
              "Work may have been destroyed.",
              "Any: see conflicts."),
          Column.number(
              "idle_ms",
              "IDLE",
              "Since its last call that was to change something.",
              "An agent that does nothing may wait for somebody.",
              "It should be working: see locks."));

  private AgentsSheet() {}

  private static final class Figures {
    final String workspace;
    final String agent;
    final String worker;
    double rate = -1;
    JsonNode calls = MissingNode.getInstance();
    JsonNode idleMs = MissingNode.getInstance();
    long changes;
    long hazards;

    Figures(String workspace, String agent, String worker) {
      this.workspace = workspace;
      this.agent = agent;
      this.worker = worker;
    }
  }

  private record Who(String workspace, String agent, String worker) {}

  static Sheet of(TopModel model) {
    Map<Who, Figures> found = new HashMap<>();
    List<String> notes = new ArrayList<>();
    long unknown = 0;
    for (Watched worker : model.known("worker")) {
      JsonNode agents = worker.status().path("agents");
      unknown += agents.path("unknown_calls").asLong();
      Map<String, JsonNode> before = new HashMap<>();
      for (JsonNode agent : worker.before().path("agents").path("seen")) {
        before.put(agent.path("agent").asText(), agent.path("calls"));
      }
      for (JsonNode agent : agents.path("seen")) {
        String name = agent.path("agent").asText();
        Figures row = figures(found, worker, name, worker.status().path("worker_id").asText());
        row.calls = agent.path("calls");
        row.idleMs = agent.path("last_call_ms");
        row.rate = worker.rate(row.calls, before.getOrDefault(name, row.calls));
      }
    }
    for (Watched daemon : model.daemons()) {
      for (JsonNode entry : daemon.entries()) {
        if (!entry.path("agent").asText().isEmpty()) {
          figures(found, daemon, entry).changes++;
        }
      }
    }
    for (Watched daemon : ConflictsSheet.sources(model)) {
      for (JsonNode entry : daemon.hazards()) {
        if (!entry.path("agent").asText().isEmpty()) {
          figures(found, daemon, entry).hazards++;
        }
        for (JsonNode hazard : entry.path("hazards")) {
          if (!hazard.path("agent").asText().isEmpty() && hazard.has("worker_id")) {
            figures(found, daemon, hazard).hazards++;
          }
        }
      }
    }
    if (unknown > 0) {
      notes.add(Quantities.count(unknown) + " calls were of processes that say no agent's name.");
    }
    List<Row> rows =
        found.values().stream()
            .sorted(
                Comparator.comparingDouble((Figures each) -> -each.rate)
                    .thenComparingLong(each -> -each.changes)
                    .thenComparingLong(each -> -each.calls.asLong())
                    .thenComparing(each -> each.agent))
            .map(AgentsSheet::row)
            .toList();
    return Sheet.of(View.AGENTS, notes, COLUMNS, rows);
  }

  private static Figures figures(Map<Who, Figures> found, Watched daemon, JsonNode named) {
    return figures(found, daemon, named.path("agent").asText(), named.path("worker_id").asText());
  }

  private static Figures figures(
      Map<Who, Figures> found, Watched daemon, String agent, String worker) {
    return found.computeIfAbsent(
        new Who(daemon.workspace(), agent, worker),
        _ -> new Figures(daemon.workspace(), agent, worker));
  }

  private static Row row(Figures each) {
    return new Row(
        each.workspace,
        List.of(
            Cell.text(each.agent),
            Cell.text(each.worker),
            Cell.rate(each.rate),
            Cell.count(each.calls),
            Cell.count(each.changes),
            Cell.count(each.hazards),
            Cell.duration(each.idleMs)),
        List.of(
            "what it did:         ./hypersync log --agent " + Commands.quoted(each.agent),
            "undo what it did:    ./hypersync undo --agent "
                + Commands.quoted(each.agent)
                + " --since 1h"));
  }
}
