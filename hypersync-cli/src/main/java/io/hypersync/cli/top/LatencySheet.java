package io.hypersync.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.cli.stages.Stage;
import java.util.ArrayList;
import java.util.List;

/** The stages of a change through each mount of this host, as {@code why-slow} has them. */
final class LatencySheet {
  private static final List<Column> COLUMNS =
      List.of(
          Column.text(
              "worker",
              "WORKER",
              "Through whose mount.",
              "Each host has its own way to the leader.",
              "Never."),
          Column.text(
              "stage",
              "STAGE",
              "A part of the way of a change, in order; total is all of it.",
              "The largest share is what to mend.",
              "Its share is large, and it is far above its floor."),
          Column.number(
              "p50_us",
              "P50",
              "Half of the changes of the last 5 to 10 s took no longer there.",
              "What a change takes now.",
              "Several times the floor."),
          Column.number(
              "p99_us",
              "P99",
              "99 of 100 of them took no longer there.",
              "What agents feel as stalls.",
              "More than 50 ms."),
          Column.number(
              "floor_us",
              "FLOOR",
              "The lowest median of this stage since its start, and while this runs.",
              "So fast it can be on this machine, when nothing else is in its way.",
              "It is high itself: the disk or the network is slow, not busy."),
          Column.number(
              "share",
              "SHARE",
              "The part of all time that is spent there.",
              "Where the time of changes goes.",
              "One stage has nearly all: the advice above says what to do."),
          Column.text(
              "what",
              "WHAT IT IS",
              "What happens in that stage.",
              "To know whom to ask.",
              "Never."));

  private LatencySheet() {}

  static Sheet of(TopModel model) {
    List<Row> rows = new ArrayList<>();
    List<String> notes = new ArrayList<>();
    for (Watched worker : model.known("worker")) {
      JsonNode stages = worker.answer(Question.STAGES);
      JsonNode limit = stages.path("limit");
      if (limit.path("sentence").isTextual()) {
        notes.add(worker.name() + ": " + limit.path("sentence").asText());
        if (!limit.path("advice").asText().isEmpty()) {
          notes.add(limit.path("advice").asText());
        }
      }
      for (Stage stage : Stage.values()) {
        JsonNode now = stages.path("recent").path(stage.key());
        JsonNode ever = stages.path("since_start").path(stage.key());
        if (now.path("count").asLong() > 0 || ever.path("count").asLong() > 0) {
          rows.add(row(worker, stage, now, ever));
        }
      }
    }
    if (model.known("worker").isEmpty()) {
      notes.add("No worker runs on this machine: the way of a change begins at one.");
    }
    return Sheet.of(View.LATENCY, notes, COLUMNS, rows);
  }

  private static Row row(Watched worker, Stage stage, JsonNode now, JsonNode ever) {
    boolean isNow = now.path("count").asLong() > 0;
    JsonNode shown = isNow ? now : ever;
    double floor = worker.leastUs(stage.key());
    List<String> details = new ArrayList<>();
    details.add(isNow ? "of the last seconds" : "since the start: nothing was changed lately");
    details.add("the slowest: " + Cell.micros(shown.path("us_max")).text());
    if (!stage.advice().isEmpty()) {
      details.add(stage.advice());
    }
    return new Row(
        worker.workspace(),
        List.of(
            Cell.text(worker.status().path("worker_id")),
            Cell.text(stage.key()),
            Cell.micros(shown.path("us_p50")),
            Cell.micros(shown.path("us_p99")),
            Double.isNaN(floor)
                ? Cell.NONE
                : Cell.micros(JsonNodeFactory.instance.numberNode(floor)),
            Cell.share(shown.path("share")),
            Cell.text(stage.what())),
        details);
  }
}
