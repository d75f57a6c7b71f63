package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.daemons.Daemons;
import io.hypersync.cli.daemons.MountedWorkers;
import io.hypersync.cli.render.WhySlowReport;
import io.hypersync.cli.stages.Decomposition;
import io.hypersync.cli.stages.Upkeep;
import io.hypersync.runtime.admin.AdminClient;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code hypersync why-slow}: shows the time of mutations by stage (hypersync.md 17.1(3)). */
@Command(
    name = "why-slow",
    description = {
      "Show where the time of changes to a workspace goes: stage by stage over the last seconds and"
          + " since the worker's start, the slowest of the last minute, and which stage is the"
          + " limit.",
      "Costs nothing: workers and leaders measure all the time. The leader's own stages are shown if"
          + " it runs on this machine."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync why-slow                       # all mounts of this machine",
      "  ./hypersync why-slow /ntmfs/ws/team/src    # the mount that this path is in",
      "  ./hypersync why-slow --json | jq '.workers[].limit.stage'"
    })
final class WhySlowCommand implements Callable<Integer> {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  @Mixin private final Screen screen = new Screen();
  @Mixin private final DaemonSelection selection = new DaemonSelection();

  @Parameters(
      paramLabel = "<path>",
      arity = "0..1",
      description = "Anything in a mounted workspace (default: every mount of this machine).")
  private @Nullable Path path;

  @Override
  public Integer call() {
    Daemons daemons = selection.daemons();
    List<Daemons.Living> workers = MountedWorkers.of(daemons, Optional.ofNullable(path));
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    OperatingSystemMXBean machine = ManagementFactory.getOperatingSystemMXBean();
    tree.put("cpus", machine.getAvailableProcessors());
    tree.put("load_1m", machine.getSystemLoadAverage());
    ArrayNode shown = tree.putArray("workers");
    for (Daemons.Living worker : workers) {
      shown.add(decomposed(worker, daemons));
    }
    screen.show(tree, () -> WhySlowReport.render(tree));
    return 0;
  }

  private static ObjectNode decomposed(Daemons.Living worker, Daemons daemons) {
    JsonNode figures = ask(worker, JsonNodeFactory.instance.objectNode());
    ObjectNode question = JsonNodeFactory.instance.objectNode();
    question.set("intents", Decomposition.intents(figures));
    Optional<Daemons.Living> living = daemons.leaderOf(worker);
    Optional<JsonNode> leader = living.map(each -> ask(each, question));
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    tree.set("worker_id", worker.status().path("worker_id"));
    tree.set("workspace", worker.status().path("workspace"));
    tree.set("mount", worker.status().path("mount"));
    tree.put("leader_is_here", leader.isPresent());
    tree.setAll(Upkeep.of(worker.status(), living.map(Daemons.Living::status).orElse(null)));
    tree.setAll(Decomposition.of(figures, leader.orElse(null)));
    return tree;
  }

  private static JsonNode ask(Daemons.Living daemon, ObjectNode question) {
    return new AdminClient(daemon.socket(), LIMIT).call("stages", question);
  }
}
