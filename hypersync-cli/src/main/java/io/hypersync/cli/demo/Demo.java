package io.hypersync.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.config.Settings;
import io.hypersync.cli.render.Quantities;
import io.hypersync.cli.render.Table;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.cli.workspace.WorkspaceName;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.runtime.admin.RunDirectory;
import io.hypersync.runtime.admin.UserError;
import java.io.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.Stream;

/**
 * The demo: starts a leader and two workers as processes on a new workspace, clones a repository
 * through one mount, reads it through the other, edits it there and reads that through the first.
 */
public final class Demo {
  private static final int STATUS_ATTEMPTS = 100;
  private static final String REPOSITORY = "project";
  private static final Duration VISIBLE_LIMIT = Duration.ofSeconds(10);
  private static final int QUOTED_LINES = 6;
  private static final double NS_PER_S = 1e9;
  private static final int NS_PER_US = 1000;

  /** The names of the demo's workers. */
  static final List<String> PLAYERS = List.of("a", "b");

  private final Narrator narrator;
  private final Cleanup cleanup;
  private final DemoFolder folder;
  private final Tool git;
  private final RunDirectory runDirectory;

  /** Creates a demo; nothing is started yet. */
  public Demo(Narrator narrator, Cleanup cleanup, DemoFolder folder, RunDirectory runDirectory) {
    this.narrator = narrator;
    this.cleanup = cleanup;
    this.folder = folder;
    this.runDirectory = runDirectory;
    this.git = Tool.git(folder.gitConfig());
  }

  /**
   * The daemons of a running demo.
   *
   * @param address of the leader
   * @param workers by their names
   */
  public record Cast(
      WorkspaceDirectory workspace,
      HostPort address,
      ChildDaemon leader,
      SequencedMap<String, ChildDaemon> workers) {
    public Cast {
      workers = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(workers));
    }
  }

  /**
   * How daemons are started besides the defaults.
   *
   * @param javaOptions for the JVM of each daemon, in addition to the launcher's and those of the
   *     environment; without whitespace
   * @param leaderSettings of the leader, each as {@code key=value}
   * @param workerSettings of each worker, likewise
   * @param launcher that of another build; empty for the one that runs this command
   * @param mainHost the name of a worker in the leader's process; empty if there is none
   */
  public record Extras(
      List<String> javaOptions,
      List<String> leaderSettings,
      List<String> workerSettings,
      Optional<Path> launcher,
      Optional<String> mainHost) {
    /** Nothing. */
    public static final Extras NONE =
        new Extras(List.of(), List.of(), List.of(), Optional.empty(), Optional.empty());

    /** Only settings. */
    public static Extras settings(List<String> leader, List<String> worker) {
      return new Extras(List.of(), leader, worker, Optional.empty(), Optional.empty());
    }

    /** The same with these options for the JVM. */
    public Extras withJavaOptions(List<String> options) {
      return new Extras(options, leaderSettings, workerSettings, launcher, mainHost);
    }

    /** The same with the launcher of another build. */
    public Extras from(Path otherLauncher) {
      return new Extras(
          javaOptions, leaderSettings, workerSettings, Optional.of(otherLauncher), mainHost);
    }

    /** The same with a worker in the leader's process. */
    public Extras withMainHost(String worker) {
      return new Extras(javaOptions, leaderSettings, workerSettings, launcher, Optional.of(worker));
    }

    private static List<String> flags(List<String> settings) {
      return settings.stream().flatMap(setting -> Stream.of("--set", setting)).toList();
    }
  }

  /**
   * Starts a leader and workers of these names, and returns when all workers have mounted. The one
   * in the leader's process is among them.
   */
  public Cast start(WorkspaceId id, List<String> names, Extras extras)
      throws IOException, InterruptedException {
    LeaderPort port = LeaderPort.reserve();
    cleanup.add("let others have the leader's port", port::close);
    HostPort address = port.address();
    WorkspaceDirectory workspace =
        WorkspaceDirectory.create(
            folder.workspace(),
            id,
            new WorkspaceName("demo"),
            Instant.now(),
            WorkspaceDirectory.saying(address));
    narrator.say("workspace %s in %s", Quantities.shortHex(id.toString()), folder.root());
    ChildDaemon leader =
        launch(
            "leader",
            runDirectory.leaderSocket(id),
            joined(
                List.of("leader", "--dir", workspace.root().toString()),
                joined(mainHost(extras), Extras.flags(extras.leaderSettings()))),
            extras);
    leader.await("answer", status -> true);
    narrator.say("leader is ready: process %d, UDP port %d", leader.pid(), address.port());
    SequencedMap<String, ChildDaemon> workers = new LinkedHashMap<>();
    extras
        .mainHost()
        .ifPresent(
            name ->
                workers.put(
                    name,
                    leader.beside("worker " + name, runDirectory.workerSocket(id, worker(name)))));
    for (String name : names) {
      if (!workers.containsKey(name)) {
        workers.put(name, launchWorker(workspace, address, name, extras));
      }
    }
    for (ChildDaemon worker : workers.values()) {
      JsonNode status = worker.await("reach the leader", json -> json.path("mounted").asBoolean());
      narrator.say(
          "worker %s is ready: process %d, mounted at %s",
          status.path("worker_id").asText(), worker.pid(), status.path("mount").asText());
    }
    return new Cast(workspace, address, leader, workers);
  }

  private List<String> mainHost(Extras extras) {
    return extras
        .mainHost()
        .map(
            name ->
                joined(
                    List.of(
                        "--mount",
                        folder.mount(name).toString(),
                        "--set",
                        Settings.WORKER_ID.key() + "=" + name),
                    Extras.flags(extras.workerSettings())))
        .orElse(List.of());
  }

  private static WorkerId worker(String name) {
    return new WorkerId(name);
  }

  /** Starts another worker; it may not be ready yet when this returns. */
  public ChildDaemon join(Cast cast, String name, Extras extras) throws IOException {
    return launchWorker(cast.workspace(), cast.address(), name, extras);
  }

  /**
   * Clones, reads and edits; needs the workers {@link #PLAYERS}.
   *
   * @param source the repository to clone; empty for a generated one
   */
  void play(Cast cast, Optional<Path> source) throws IOException, InterruptedException {
    Files.writeString(
        folder.gitConfig(),
        "[user]\n\tname = Demo\n\temail = demo@hypersync.invalid\n[safe]\n\tdirectory = *\n"
            // git must not leave a background process in a mount that is about to be unmounted.
            + "[maintenance]\n\tauto = false\n[gc]\n\tauto = 0\n");
    cleanup.add("end git", git::endRunning);
    cloneOnA(source);
    settle(cast);
    readOnB();
    editOnB();
    settle(cast);
    narrator.say("through A: git log -1");
    narrator.quote(gitOn("a", "log", "-1", "--format=%h %an: %s"), QUOTED_LINES);
  }

  /**
   * Waits until all workers have applied the same entry, and prints their roots and latencies.
   *
   * @throws UserError if their roots differ
   */
  void report(Cast cast) throws InterruptedException {
    List<JsonNode> workers = statusAtOneEntry(cast);
    Table table = Table.of("WORKER", ">APPLIED", "ROOT", ">COMMITS", ">P50", ">P99");
    for (JsonNode worker : workers) {
      table.row(
          worker.path("worker_id").asText(),
          Quantities.count(worker.path("applied_index").asLong()),
          worker.path("root").asText(),
          Quantities.count(worker.path("mutations").asLong()),
          latency(worker, "commit_latency_us_p50"),
          latency(worker, "commit_latency_us_p99"));
    }
    narrator.say("what the workers have, and how long their commits took:");
    narrator.quote(table.render(""), Integer.MAX_VALUE);
    if (workers.stream().map(worker -> worker.path("root")).distinct().count() > 1) {
      throw new UserError("the workers have different roots at the same index", "This is a bug.");
    }
    narrator.say("all copies are the same, byte for byte");
  }

  private void cloneOnA(Optional<Path> source) throws IOException {
    Path origin;
    if (source.isPresent()) {
      origin = source.get();
    } else {
      origin = folder.root().resolve("sample");
      narrator.say("making a repository to clone");
      SampleRepository.create(origin, git);
    }
    narrator.say("through A: git clone %s", origin);
    long startedAtNs = System.nanoTime();
    git.runVisibly(
        folder.mount("a"),
        "git",
        "clone",
        isOnTerminal() ? "--progress" : "--quiet",
        "file://" + origin,
        REPOSITORY);
    double seconds = (System.nanoTime() - startedAtNs) / NS_PER_S;
    long files = gitOn("a", "ls-files").lines().count();
    narrator.say("cloned %s files in %.1f s", Quantities.count(files), seconds);
  }

  private void readOnB() {
    narrator.say("through B: git status");
    String dirty = gitOn("b", "status", "--porcelain");
    narrator.quote(gitOn("b", "status"), QUOTED_LINES);
    if (!dirty.isEmpty()) {
      throw new UserError("B sees another working tree than A made", dirty);
    }
    narrator.say("through B: git log --oneline");
    narrator.quote(gitOn("b", "log", "--oneline", "-5"), QUOTED_LINES);
    narrator.say("through B: git fsck --full");
    narrator.quote(gitOn("b", "fsck", "--full", "--no-progress") + "no errors", QUOTED_LINES);
  }

  private void editOnB() throws IOException, InterruptedException {
    String text = "Written through B at " + Instant.now() + "\n";
    Path onA = folder.mount("a").resolve(REPOSITORY).resolve("DEMO.txt");
    Path onB = folder.mount("b").resolve(REPOSITORY).resolve("DEMO.txt");
    narrator.say("through B: write DEMO.txt");
    Files.writeString(onB, text, StandardOpenOption.CREATE_NEW);
    long writtenAtNs = System.nanoTime();
    long deadlineNs = writtenAtNs + VISIBLE_LIMIT.toNanos();
    while (!Files.exists(onA) || !Files.readString(onA).equals(text)) {
      if (System.nanoTime() - deadlineNs > 0) {
        throw new UserError(
            "A does not show what was written through B", "See the logs in " + folder.log("a"));
      }
      Thread.sleep(Duration.ofNanos(100_000));
    }
    narrator.say(
        "through A: DEMO.txt reads the same, %s later",
        Quantities.micros((System.nanoTime() - writtenAtNs) / NS_PER_US));
    gitOn("b", "add", "DEMO.txt");
    gitOn("b", "commit", "--quiet", "--message", "Written through B");
    narrator.say("through B: git commit");
  }

  /** Waits until all workers have applied everything that the leader has committed. */
  public static void settle(Cast cast) throws InterruptedException {
    long commitIndex = cast.leader().status().path("commit_index").asLong();
    for (ChildDaemon worker : cast.workers().values()) {
      worker.await(
          "apply entry " + commitIndex,
          status -> status.path("applied_index").asLong() >= commitIndex);
    }
  }

  /**
   * Returns the status of all workers at the same applied index. The leader may commit an entry
   * while nobody works: it reaps orphans.
   */
  private static List<JsonNode> statusAtOneEntry(Cast cast) throws InterruptedException {
    for (int attempt = 0; attempt < STATUS_ATTEMPTS; attempt++) {
      settle(cast);
      List<JsonNode> workers = cast.workers().values().stream().map(ChildDaemon::status).toList();
      if (workers.stream().map(worker -> worker.path("applied_index")).distinct().count() == 1) {
        return workers;
      }
    }
    throw new UserError(
        "entries kept coming while the workers were compared",
        "Does anybody else use the demo's workspace?");
  }

  private String gitOn(String worker, String... arguments) {
    String[] command = new String[arguments.length + 1];
    command[0] = "git";
    System.arraycopy(arguments, 0, command, 1, arguments.length);
    return git.run(folder.mount(worker).resolve(REPOSITORY), command);
  }

  private ChildDaemon launchWorker(
      WorkspaceDirectory workspace, HostPort leader, String name, Extras extras)
      throws IOException {
    WorkerId id = worker(name);
    Path token = workspace.tokenFile(id);
    workspace.writeToken(id, leader, token);
    return launch(
        "worker " + name,
        runDirectory.workerSocket(workspace.id(), id),
        joined(
            List.of(
                "worker",
                "--token",
                token.toString(),
                "--mount",
                folder.mount(name).toString(),
                "--state-dir",
                folder.state(name).toString()),
            Extras.flags(extras.workerSettings())),
        extras);
  }

  private static List<String> joined(List<String> arguments, List<String> more) {
    return Stream.concat(arguments.stream(), more.stream()).toList();
  }

  private ChildDaemon launch(String name, Path socket, List<String> arguments, Extras extras)
      throws IOException {
    Path log = folder.log(name.substring(name.indexOf(' ') + 1));
    ChildDaemon daemon =
        ChildDaemon.start(name, socket, log, arguments, extras.javaOptions(), extras.launcher());
    cleanup.add("stop the " + name, daemon::stop);
    return daemon;
  }

  private static String latency(JsonNode worker, String key) {
    return worker.path(key).isNumber() ? Quantities.micros(worker.path(key).asLong()) : "-";
  }

  private static boolean isOnTerminal() {
    return Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
  }
}
