package io.hypersync.cli.robot;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.daemons.Daemons;
import io.hypersync.cli.daemons.Mounts;
import io.hypersync.cli.daemons.WorkspacePath;
import io.hypersync.cli.robot.Envelope.Hints;
import io.hypersync.cli.robot.Envelope.Moment;
import io.hypersync.cli.robot.RobotError.Code;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.admin.UserError;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Answers {@code hypersync robot}: always one JSON document on standard output. */
public final class Robot {
  private static final int MOST_AGENTS = 256;
  private static final int MOST_CHANGES = 1_000;
  private static final int USUAL_CHANGES = 10;

  private final RobotArguments args;
  private final Map<String, String> environment;
  private final Path here;
  private final Instant now;

  private Robot(RobotArguments args, Map<String, String> environment, Path here, Instant now) {
    this.args = args;
    this.environment = environment;
    this.here = here;
    this.now = now;
  }

  /** An answer, and what an agent is told beside. */
  private record Answer(ObjectNode payload, Hints hints) {}

  /**
   * Does what a robot command says.
   *
   * @param words behind {@code robot}
   * @param here the working directory
   * @param begun since when it is worked on
   * @return the exit code: 0 if it is done, 1 for an error, 2 if something is not available
   */
  public static int run(
      List<String> words,
      Map<String, String> environment,
      Path here,
      Instant begun,
      PrintWriter out,
      PrintWriter err) {
    String command = "hypersync robot" + (words.isEmpty() ? "" : " " + words.getFirst());
    ObjectNode tree;
    int exitCode = 0;
    try {
      Robot robot = new Robot(RobotArguments.parse(words), environment, here, Instant.now());
      Answer answer = robot.answer();
      tree =
          Envelope.answer(command, new Moment(begun, Instant.now()), answer.payload, answer.hints);
    } catch (RuntimeException failure) {
      RobotError error = explained(failure, err);
      exitCode = error.code().exitCode();
      tree = Envelope.failure(command, new Moment(begun, Instant.now()), error);
    }
    out.println(tree.toPrettyString());
    out.flush();
    return exitCode;
  }

  private static RobotError explained(RuntimeException failure, PrintWriter err) {
    return switch (failure) {
      case RobotError known -> known;
      case UserError error ->
          new RobotError(
              error.exitCode() == UserError.USAGE ? Code.INVALID_ARGS : Code.INTERNAL_ERROR,
              error.message(),
              error.hint());
      default -> {
        StringWriter trace = new StringWriter();
        failure.printStackTrace(new PrintWriter(trace));
        err.print(Printable.lines(trace.toString()));
        err.flush();
        yield new RobotError(
            Code.INTERNAL_ERROR,
            "this is a bug in hypersync: " + failure,
            "Please report it, with the standard error.");
      }
    };
  }

  private Answer answer() {
    return switch (args.action()) {
      case SNAPSHOT -> snapshot(site());
      case STATUS -> status(site());
      case WORKERS -> workers(site());
      case HAZARDS -> hazards(site());
      case RESERVATIONS -> reservations(site());
      case PLACE -> place(site());
      case HEALTH -> health(site());
      case WHO -> who();
      case CAPABILITIES ->
          new Answer(
              Capabilities.json(),
              new Hints(RobotAction.values().length + " commands", "", List.of()));
    };
  }

  private Site site() {
    return Site.of(args.runDirectory(environment), args.text("--workspace"), here);
  }

  private Answer snapshot(Site site) {
    List<ObjectNode> workers = WorkersView.of(site, now);
    ObjectNode hypersync = summary(site);
    ArrayNode list = hypersync.putArray("workers");
    workers.forEach(list::add);
    ArrayNode active = hypersync.putArray("hazards");
    List<String> warnings = new ArrayList<>();
    int hazards = 0;
    if (site.hasLeader()) {
      List<ObjectNode> all = HazardsView.of(site, now);
      HazardsView.active(all).forEach(active::add);
      hypersync.set("hazard_counts", HazardsView.counts(all, now));
      hazards = active.size();
      JsonNode known = ReservationsView.ask(site);
      hypersync.set("reservations", ReservationsView.summary(known));
    } else {
      // Not there is not the same as none.
      warnings.add(
          "hazards, reservations and other workers are known on the leader's host only: "
              + site.worker().path("leader").asText("?"));
    }
    ObjectNode payload = JsonNodeFactory.instance.objectNode();
    payload.set("hypersync", hypersync);
    addProblems(workers, warnings);
    return new Answer(
        payload,
        new Hints(
            healthy(workers)
                + " of "
                + workers.size()
                + " workers healthy, "
                + hazards
                + " active hazards",
            warnings.isEmpty() ? "" : "hypersync robot health",
            warnings));
  }

  private Answer status(Site site) {
    List<ObjectNode> workers = WorkersView.of(site, now);
    ObjectNode hypersync = summary(site);
    ObjectNode counts = hypersync.putObject("worker_counts");
    counts.put("total", workers.size());
    for (String status : List.of("healthy", "degraded", "offline")) {
      counts.put(status, count(workers, status));
    }
    ObjectNode payload = JsonNodeFactory.instance.objectNode();
    payload.set("hypersync", hypersync);
    List<String> warnings = new ArrayList<>();
    addProblems(workers, warnings);
    String state =
        !hypersync.path("leader_reachable").asBoolean()
            ? "the leader cannot be reached"
            : "entry " + hypersync.path("commit_index").asLong();
    return new Answer(
        payload, new Hints(state, warnings.isEmpty() ? "" : "hypersync robot health", warnings));
  }

  private Answer workers(Site site) {
    List<ObjectNode> all = WorkersView.of(site, now);
    List<String> warnings = new ArrayList<>();
    if (!site.hasLeader()) {
      warnings.add("the leader is elsewhere: these are the workers of this machine");
    }
    return new Answer(
        Page.of(args, "workers", all),
        new Hints(healthy(all) + " of " + all.size() + " workers healthy", "", warnings));
  }

  private Answer hazards(Site site) {
    Optional<Duration> since = args.duration("--since");
    List<ObjectNode> all = HazardsView.of(site, now);
    List<ObjectNode> wanted = since.map(age -> HazardsView.since(all, age, now)).orElse(all);
    ObjectNode payload = Page.of(args, "hazards", wanted);
    payload.set("hazard_counts", HazardsView.counts(all, now));
    ObjectNode filters = payload.putObject("filters");
    args.text("--since").ifPresent(text -> filters.put("since", text));
    filters.put("within_entries", HazardsView.WITHIN);
    return new Answer(payload, new Hints(wanted.size() + " hazards", "", List.of()));
  }

  private Answer reservations(Site site) {
    JsonNode known = ReservationsView.ask(site);
    ObjectNode payload = Page.of(args, "reservations", ReservationsView.list(known));
    payload.set("conflicts", ReservationsView.conflicts(known));
    ObjectNode source = ReservationsView.source(known);
    payload.set("source", source);
    List<String> warnings = new ArrayList<>();
    if (!source.path("fresh").asBoolean()) {
      warnings.add(
          source.path("kind").asText().equals("none")
              ? "no archive is configured (hypersync.agent_mail.archive): nothing is known"
              : "the source is not fresh: what is shown may be over, and what is new is missing");
    }
    return new Answer(
        payload, new Hints(known.path("active").asInt() + " reservations", "", warnings));
  }

  private Answer who() {
    if (args.words().size() != 1) {
      throw new RobotError(
          Code.MISSING_REQUIRED,
          "robot who: of which path? Got " + args.words().size() + " of them",
          "hypersync robot who <path>, in a mount or as seen from the root of the workspace");
    }
    int limit = args.number("--limit", 1, MOST_CHANGES, USUAL_CHANGES);
    Site site = site();
    WorkspacePath path = WorkspacePath.of(args.words().getFirst(), Daemons.in(site.directory()));
    ObjectNode payload =
        (ObjectNode)
            site.ask(
                "who",
                JsonNodeFactory.instance
                    .objectNode()
                    .put("path", path.inWorkspace())
                    .put("limit", limit));
    JsonNode newest = payload.path("changes").path(0);
    return new Answer(
        payload,
        new Hints(
            newest.isMissingNode()
                ? "no change of it is in the part of the log that was looked at"
                : "changed last by "
                    + (newest.path("agent").asText().isEmpty()
                        ? "somebody without a name"
                        : newest.path("agent").asText())
                    + " on "
                    + newest.path("worker_id").asText()
                    + " at entry "
                    + newest.path("log_index").asLong(),
            payload.path("complete").asBoolean() ? "" : "hypersync who --all <path>",
            List.of()));
  }

  private Answer place(Site site) {
    if (!args.has("--count")) {
      throw new RobotError(
          Code.MISSING_REQUIRED,
          "robot place: how many agents?",
          "hypersync robot place --count <1 to " + MOST_AGENTS + ">");
    }
    int count = args.number("--count", 1, MOST_AGENTS, 1);
    ObjectNode request =
        JsonNodeFactory.instance
            .objectNode()
            .put("count", count)
            .put("session", args.text("--session").orElse(""));
    ObjectNode payload = (ObjectNode) site.ask("place", request);
    if (!args.has("--explain")) {
      var _ = payload.remove("evidence");
    }
    int unplaced = payload.path("unplaced").asInt();
    List<String> warnings = new ArrayList<>();
    if (unplaced > 0) {
      warnings.add("there is no room for " + unplaced + " of " + count + " agents");
    }
    return new Answer(
        payload, new Hints((count - unplaced) + " of " + count + " agents placed", "", warnings));
  }

  private Answer health(Site site) {
    Map<Path, Mounts.Health> mounts = new LinkedHashMap<>();
    Mounts.all().forEach(mount -> mounts.put(mount, Mounts.probe(mount)));
    List<ObjectNode> checks = HealthChecks.of(site, WorkersView.of(site, now), mounts);
    List<String> problems = new ArrayList<>();
    boolean isCritical = false;
    String action = "";
    ObjectNode payload = JsonNodeFactory.instance.objectNode();
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    for (ObjectNode check : checks) {
      list.add(check);
      if (!check.path("ok").asBoolean()) {
        problems.add(check.path("detail").asText());
        isCritical |= check.path("severity").asText().equals("critical");
        action = action.isEmpty() ? check.path("suggested_action").asText() : action;
      }
    }
    String state = isCritical ? "unhealthy" : problems.isEmpty() ? "healthy" : "degraded";
    payload.put("healthy", problems.isEmpty()).put("status", state);
    payload.set("checks", list);
    return new Answer(payload, new Hints(problems.size() + " problems", action, problems));
  }

  /** The workspace in short. What is not known on this machine is left out. */
  private static ObjectNode summary(Site site) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    JsonNode worker = site.worker();
    JsonNode known = site.hasLeader() ? site.leader() : worker;
    String id = known.path("workspace").asText();
    node.put("workspace", known.path("workspace_name").asText(id));
    node.put("workspace_id", id);
    if (!worker.isMissingNode()) {
      node.put("mount", worker.path("mount").asText());
      node.put("local", worker.path("local").asText());
    }
    node.put("leader_reachable", site.hasLeader() || worker.path("connected").asBoolean());
    node.put("leader", known.path(site.hasLeader() ? "address" : "leader").asText());
    if (!worker.isMissingNode()) {
      node.put("read_only", worker.path("read_only").asBoolean());
    }
    return node.put("commit_index", known.path("commit_index").asLong());
  }

  private static long healthy(List<ObjectNode> workers) {
    return count(workers, "healthy");
  }

  private static long count(List<ObjectNode> workers, String status) {
    return workers.stream().filter(each -> each.path("status").asText().equals(status)).count();
  }

  private static void addProblems(List<ObjectNode> workers, List<String> warnings) {
    for (ObjectNode worker : workers) {
      if (!worker.path("status").asText().equals("healthy")) {
        warnings.add(
            worker.path("id").asText()
                + " is "
                + worker.path("status").asText()
                + worker
                    .path("reasons")
                    .valueStream()
                    .findFirst()
                    .map(why -> ": " + why.asText())
                    .orElse(""));
      }
    }
  }
}
