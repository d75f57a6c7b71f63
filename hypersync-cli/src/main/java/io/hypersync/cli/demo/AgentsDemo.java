package io.hypersync.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/**
 * The demo of agents: six scripted ones work on two mounts at once, each on a file of its own. Two
 * of them then change the same lines of one file, and the second has not read what the first has
 * written. It shows what HyperSync tells of that, who did what, and how one of them is undone.
 */
final class AgentsDemo {
  /** Three on each worker. */
  private static final List<String> AGENTS =
      List.of("BlueLake", "GreenHill", "RedStone", "SwiftFox", "CalmRiver", "OldPine");

  /** The first of mount A, and the first of mount B. */
  private static final String FIRST = AGENTS.get(0);

  private static final String SECOND = AGENTS.get(3);

  private static final String PROJECT = "project";
  private static final String BEFORE = "the API, version 1\n";

  /**
   * An agent's process is known from its first change on; on a very busy machine a moment later. So
   * each first empties a file that is empty, which leaves nothing to undo if nobody knows whose
   * that was.
   */
  private static final String BEGIN = ": > ../known/$AGENT_NAME; sleep 0.5\n";

  private static final String WORK =
      BEGIN + "for i in 1 2 3 4 5; do echo \"$AGENT_NAME: step $i\" >> notes/$AGENT_NAME; done\n";

  private static final Duration HAZARD_LIMIT = Duration.ofSeconds(10);
  private static final int POLL_MS = 50;
  private static final int ATTEMPTS = 5;
  private static final int QUOTED_LINES = 40;

  private final Narrator narrator;
  private final Cleanup cleanup;
  private final DemoFolder folder;
  private final Demo.Cast cast;
  private final List<Tool> tools = new ArrayList<>();

  AgentsDemo(Narrator narrator, Cleanup cleanup, DemoFolder folder, Demo.Cast cast) {
    this.narrator = narrator;
    this.cleanup = cleanup;
    this.folder = folder;
    this.cast = cast;
  }

  /** Plays it; needs the workers {@link Demo#PLAYERS}. */
  void play() throws IOException, InterruptedException {
    cleanup.add("end the agents", this::endRunning);
    Path onA = folder.mount("a").resolve(PROJECT);
    // Before the agents begin: the one who made it could not be undone while others have notes
    // there.
    Files.createDirectories(onA.resolve("notes"));
    Path known = Files.createDirectories(folder.mount("a").resolve("known"));
    for (String agent : AGENTS) {
      Files.createFile(known.resolve(agent));
    }
    Demo.settle(cast);
    narrator.say(
        "six agents begin: %s on A, %s on B",
        String.join(", ", AGENTS.subList(0, 3)), String.join(", ", AGENTS.subList(3, 6)));
    workAtOnce();
    Demo.settle(cast);
    String shared = collide();
    narrator.say("what was in the way of whom: ./hypersync hazards");
    narrator.quote(hypersync("hazards"), QUOTED_LINES);
    narrator.say("who has changed that file: ./hypersync who %s", shared);
    narrator.quote(hypersync("who", PROJECT + "/" + shared), QUOTED_LINES);
    narrator.say("%s is undone: ./hypersync undo --agent %s --yes", SECOND, SECOND);
    narrator.quote(hypersync("undo", "--agent", SECOND, "--yes"), QUOTED_LINES);
    Demo.settle(cast);
    narrator.say("what there is afterwards, through B:");
    narrator.quote(tree(folder.mount("b").resolve(PROJECT)), QUOTED_LINES);
  }

  private void endRunning() {
    synchronized (tools) {
      tools.forEach(Tool::endRunning);
    }
  }

  private static String mountOf(String agent) {
    return Demo.PLAYERS.get(AGENTS.indexOf(agent) * Demo.PLAYERS.size() / AGENTS.size());
  }

  private void workAtOnce() throws InterruptedException {
    try (ExecutorService threads = Executors.newFixedThreadPool(AGENTS.size())) {
      List<Future<String>> all =
          AGENTS.stream().map(agent -> threads.submit(() -> run(agent, WORK))).toList();
      for (Future<String> each : all) {
        var _ = each.get();
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UserError error) {
        throw error;
      }
      throw new IllegalStateException(e);
    }
  }

  /**
   * Two agents rewrite one file. On a busy machine a name can come too late, and then nothing is
   * told: they try again with another file.
   *
   * @return its name
   */
  private String collide() throws IOException, InterruptedException {
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      String shared = attempt == 1 ? "api.txt" : "api" + attempt + ".txt";
      Files.writeString(folder.mount("a").resolve(PROJECT).resolve(shared), BEFORE);
      narrator.say("%s rewrites %s, through A", FIRST, shared);
      run(FIRST, BEGIN + rewriting(shared));
      Demo.settle(cast);
      narrator.say("%s rewrites it too, through B, without having read that", SECOND);
      run(SECOND, BEGIN + rewriting(shared));
      Demo.settle(cast);
      if (isTold()) {
        return shared;
      }
    }
    throw new UserError(
        "no hazard was told of two agents that have changed the same file",
        "Is this machine very busy? ./hypersync status --json says how many names came too late.");
  }

  private static String rewriting(String file) {
    return "echo \"the API, version 2 by $AGENT_NAME\" > " + file + "\n";
  }

  /** Whether the leader knows of a hazard; looks for some seconds. */
  private boolean isTold() throws InterruptedException {
    long deadlineNs = System.nanoTime() + HAZARD_LIMIT.toNanos();
    do {
      JsonNode hazards = cast.leader().status().path("hazards");
      for (JsonNode count : hazards) {
        if (count.asLong() > 0) {
          return true;
        }
      }
      Thread.sleep(POLL_MS);
    } while (System.nanoTime() - deadlineNs < 0);
    return false;
  }

  /** Runs a script as an agent, in the project on its mount. */
  private String run(String agent, String script) {
    Tool tool = new Tool(Map.of("HYPERSYNC_AGENT", agent, "AGENT_NAME", agent));
    synchronized (tools) {
      tools.add(tool);
    }
    return tool.run(folder.mount(mountOf(agent)).resolve(PROJECT), "sh", "-ec", script);
  }

  /** Runs another command of this program, which asks the demo's leader. */
  private String hypersync(String... words) {
    List<String> command = new ArrayList<>(List.of(ChildDaemon.launcher()));
    command.addAll(List.of(words));
    command.addAll(List.of("--workspace", cast.workspace().id().toString()));
    return new Tool(Map.of("HYPERSYNC_NO_BUILD", "1"))
        .run(folder.root(), command.toArray(String[]::new));
  }

  /** The files below a directory, each with its last line. */
  private static String tree(Path top) throws IOException {
    StringBuilder text = new StringBuilder();
    try (Stream<Path> all = Files.walk(top)) {
      for (Path file : all.filter(Files::isRegularFile).sorted().toList()) {
        List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
        text.append(
            "%-20s %s%n".formatted(top.relativize(file), lines.isEmpty() ? "" : lines.getLast()));
      }
    }
    return text.toString();
  }
}
