package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.model.text.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Text output of {@code hypersync place}, from the tree of {@code docs/json.md}. */
public final class PlacementReport {
  private static final int PERCENT = 100;

  private PlacementReport() {}

  /** Who gets how many, who gets none and why, and the evidence if it is there. */
  public static String render(JsonNode decision) {
    StringBuilder text = new StringBuilder();
    Table table = Table.of("WORKER", "HOST", ">AGENTS");
    for (JsonNode share : decision.path("placements")) {
      table.row(
          share.path("worker").asText(),
          share.path("host").asText("-"),
          share.path("count").asText());
    }
    text.append(table.isEmpty() ? "No worker can take an agent.\n" : table.render(""));
    int unplaced = decision.path("unplaced").asInt();
    if (unplaced > 0) {
      text.append("There is no room for ").append(unplaced).append(" of them.\n");
    }
    for (JsonNode each : decision.path("excluded")) {
      text.append("Not on ")
          .append(line(each.path("worker").asText()))
          .append(": ")
          .append(reasons(each.path("reasons")))
          .append('\n');
    }
    if (decision.has("evidence")) {
      text.append('\n').append(evidence(decision.path("evidence")));
    }
    return text.toString();
  }

  /** One line for each decision, the newest last. */
  public static String decisions(JsonNode all) {
    Table table = Table.of(">NO", "AT", "SESSION", ">AGENTS", ">UNPLACED", "ON", "NOT ON");
    for (JsonNode decision : all.path("decisions")) {
      table.row(
          decision.path("decision").asText(),
          decision.path("decided_at").asText(),
          decision.path("session").asText(),
          decision.path("count").asText(),
          decision.path("unplaced").asText(),
          list(
              decision.path("placements"),
              each -> each.path("worker").asText() + " " + each.path("count").asText()),
          list(
              decision.path("excluded"),
              each ->
                  each.path("worker").asText()
                      + " ("
                      + each.path("reasons").path(0).path("code").asText()
                      + ")"));
    }
    return table.isEmpty() ? "Nothing was placed since the leader's start.\n" : table.render("");
  }

  private static String evidence(JsonNode evidence) {
    Table costs =
        Table.of(
            "WORKER",
            ">COST",
            ">+-",
            ">SEEN",
            ">AGENTS",
            ">CPU",
            ">MEM",
            ">LAG",
            ">RTT",
            ">COMPANY");
    for (JsonNode each : evidence.path("candidates")) {
      JsonNode penalties = each.path("penalties");
      costs.row(
          each.path("worker").asText(),
          cost(each.path("cost_mean")),
          cost(each.path("cost_deviation")),
          String.valueOf(Math.round(each.path("observations").asDouble())),
          each.path("agents").asText(),
          cost(penalties.path("cpu_utilization")),
          cost(penalties.path("memory_pressure")),
          cost(penalties.path("sync_lag")),
          cost(penalties.path("commit_rtt")),
          cost(penalties.path("agents")));
    }
    StringBuilder text = new StringBuilder("Costs that are believed; 100 is at all limits\n");
    text.append(costs.render("  ")).append("\nDrawn, with the seed ");
    text.append(line(evidence.path("seed").asText())).append('\n');
    Table drawn = Table.of("GOES TO", "BECAUSE OF");
    for (JsonNode pick : evidence.path("picks")) {
      List<String> each = new ArrayList<>();
      pick.path("sampled_costs")
          .properties()
          .forEach(sampled -> each.add(sampled.getKey() + " " + cost(sampled.getValue())));
      drawn.row(pick.path("worker").asText(), String.join(", ", each));
    }
    return text.append(drawn.render("  ")).toString();
  }

  private static String list(JsonNode nodes, Function<JsonNode, String> text) {
    return nodes.valueStream().map(text).collect(Collectors.joining(", "));
  }

  private static String reasons(JsonNode reasons) {
    return list(reasons, each -> line(each.path("text").asText()));
  }

  private static String cost(JsonNode cost) {
    return String.format(Locale.ROOT, "%.1f", PERCENT * cost.asDouble());
  }

  private static String line(String text) {
    return Printable.line(text);
  }
}
