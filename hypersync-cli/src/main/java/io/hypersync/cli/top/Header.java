package io.hypersync.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.render.Quantities;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** What is always on the screen: the workspace, its figures, and who does not answer. */
final class Header {
  /** So many daemons that do not answer are named. */
  private static final int NAMED = 3;

  private Header() {}

  /** The figures of a workspace. */
  private record Figures(
      String name,
      String role,
      Cell term,
      Cell index,
      Cell commits,
      Cell p50,
      Cell p99,
      Cell workers,
      Cell hazards) {}

  /** The workspaces that are meant by what is looked at. */
  private static List<String> wanted(TopModel model, Shown shown) {
    return shown.workspace().isEmpty() ? model.workspaces() : List.of(shown.workspace());
  }

  private static Figures figures(TopModel model, String workspace) {
    Optional<Watched> leader =
        model.known("leader").stream()
            .filter(each -> each.workspace().equals(workspace))
            .findFirst();
    List<Watched> workers =
        model.known("worker").stream().filter(each -> each.workspace().equals(workspace)).toList();
    if (leader.isPresent()) {
      JsonNode status = leader.get().status();
      long connected = 0;
      for (JsonNode worker : status.path("workers")) {
        connected += worker.path("connected").asBoolean(true) ? 1 : 0;
      }
      long hazards = 0;
      for (JsonNode count : status.path("hazards")) {
        hazards += count.asLong();
      }
      return new Figures(
          model.nameOf(workspace),
          workers.isEmpty() ? "leader" : "leader and worker",
          Cell.count(status.path("term")),
          Cell.count(status.path("commit_index")),
          Cell.rate(
              leader
                  .get()
                  .rate(status.path("commit_index"), leader.get().before().path("commit_index"))),
          Cell.micros(status.path("commit_latency_us_p50")),
          Cell.micros(status.path("commit_latency_us_p99")),
          Cell.count(connected),
          Cell.count(hazards));
    }
    Watched worker = workers.isEmpty() ? null : workers.getFirst();
    if (worker == null) {
      return new Figures(
          model.nameOf(workspace),
          "standby",
          Cell.NONE,
          Cell.NONE,
          Cell.NONE,
          Cell.NONE,
          Cell.NONE,
          Cell.NONE,
          Cell.NONE);
    }
    JsonNode status = worker.status();
    return new Figures(
        model.nameOf(workspace),
        "worker",
        Cell.count(status.path("term_seen")),
        Cell.count(status.path("applied_index")),
        Cell.rate(worker.rate(status.path("commit_index"), worker.before().path("commit_index"))),
        Cell.micros(status.path("commit_latency_us_p50")),
        Cell.micros(status.path("commit_latency_us_p99")),
        Cell.NONE,
        Cell.count(status.path("hazards").path("seen")));
  }

  /**
   * Its lines, not yet cut.
   *
   * @param time of the day, for people
   */
  static List<Line> lines(TopModel model, Shown shown, String time) {
    List<Line> lines = new ArrayList<>();
    List<String> workspaces = wanted(model, shown);
    String title = "HyperSync  " + time;
    if (workspaces.isEmpty()) {
      lines.add(new Line(title + "  no workspace on this host", Line.Style.TITLE));
      lines.add(Line.plain(findings(model)));
    } else {
      Figures each = figures(model, workspaces.getFirst());
      lines.add(
          new Line(
              title
                  + "  workspace "
                  + Cell.text(each.name).text()
                  + " ("
                  + workspaces.getFirst()
                  + ")  "
                  + each.role
                  + "  term "
                  + each.term.text()
                  + (workspaces.size() > 1
                      ? "  1 of " + workspaces.size() + " workspaces (w: one)"
                      : ""),
              Line.Style.TITLE));
      lines.add(
          Line.plain(
              findings(model)
                  + "  commits "
                  + each.commits.text()
                  + "/s  p50 "
                  + each.p50.text()
                  + "  p99 "
                  + each.p99.text()
                  + "  workers "
                  + each.workers.text()
                  + "  hazards "
                  + each.hazards.text()
                  + "  entry "
                  + each.index.text()));
    }
    lines.addAll(silent(model));
    return lines;
  }

  private static String findings(TopModel model) {
    if (!model.isExamined()) {
      return "findings -";
    }
    long errors = FindingsSheet.count(model, "error");
    String all = "findings " + model.findings().size();
    return errors == 0 ? all : all + ", " + errors + (errors == 1 ? " error" : " errors");
  }

  private static List<Line> silent(TopModel model) {
    List<Watched> silent = model.silent();
    List<Line> lines = new ArrayList<>();
    for (Watched each : silent.subList(0, Math.min(NAMED, silent.size()))) {
      lines.add(
          new Line("! " + Cell.text(each.name()).text() + said(model, each), Line.Style.ALERT));
    }
    if (silent.size() > NAMED) {
      lines.add(
          new Line(
              "! " + Quantities.count(silent.size() - NAMED) + " more do not answer: overview",
              Line.Style.ALERT));
    }
    return lines;
  }

  private static String said(TopModel model, Watched each) {
    if (each.isDead()) {
      return " has ended: nobody listens on its socket";
    }
    String forHow = Quantities.uptime(TimeUnit.NANOSECONDS.toMillis(model.silentNs(each)));
    return " has not answered for "
        + forHow
        + (each.status().isMissingNode() ? "" : "; its figures are as old");
  }

  /** As {@code docs/json.md} says. */
  static ArrayNode json(TopModel model) {
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    for (String workspace : model.workspaces()) {
      Figures each = figures(model, workspace);
      ObjectNode tree = list.addObject();
      tree.put("workspace", workspace);
      tree.put("workspace_name", Cell.text(each.name).text());
      tree.put("role", each.role);
      tree.set("term", each.term.value());
      tree.set("index", each.index.value());
      tree.set("commits_per_s", each.commits.value());
      tree.set("p50_us", each.p50.value());
      tree.set("p99_us", each.p99.value());
      tree.set("workers", each.workers.value());
      tree.set("hazards", each.hazards.value());
    }
    return list;
  }

  /** Who does not answer, as {@code docs/json.md} says. */
  static ArrayNode silentJson(TopModel model) {
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    for (Watched each : model.silent()) {
      list.addObject()
          .put("role", each.role())
          .put("socket", Cell.text(each.socket()).text())
          .put("is_dead", each.isDead())
          .put("silent_ms", TimeUnit.NANOSECONDS.toMillis(model.silentNs(each)))
          .put("reason", Cell.text(each.trouble()).text());
    }
    return list;
  }
}
