package io.hypersync.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.wire.admin.AdminClient;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A leader or a worker in a process of its own. */
final class DaemonJvm {
  private static final Duration ASK_LIMIT = Duration.ofSeconds(20);

  /** Of one that may be in any state, when its test is over. */
  private static final Duration BRIEF_LIMIT = Duration.ofSeconds(5);

  private final String name;
  private final Process process;
  private final Path log;
  private final AdminClient admin;
  private final AdminClient brief;

  /** Will wake the process while it is frozen. */
  private @Nullable Process waker;

  private DaemonJvm(String name, Process process, Path log, Path socket) {
    this.name = name;
    this.process = process;
    this.log = log;
    this.admin = new AdminClient(socket, ASK_LIMIT);
    this.brief = new AdminClient(socket, BRIEF_LIMIT);
  }

  /**
   * Starts it; it is not ready yet.
   *
   * @param log where its outputs are appended
   * @param socket where it will answer
   * @param javaOptions of its Java machine, which go over those of all
   * @param arguments after {@code hypersync}
   * @param environment what it finds in its environment
   */
  static DaemonJvm start(
      String name,
      Path log,
      Path socket,
      List<String> javaOptions,
      List<String> arguments,
      Map<String, String> environment)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(ChildJvm.command(javaOptions, arguments));
    builder.environment().putAll(environment);
    builder
        .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    return new DaemonJvm(name, builder.start(), log, socket);
  }

  String name() {
    return name;
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** The helper process of it whose command line has this word; fails if there is none. */
  ProcessHandle helper(String word) {
    return process
        .children()
        .filter(child -> commandLine(child.pid()).contains(word))
        .findFirst()
        .orElseThrow(() -> new AssertionError(name + " has no helper process " + word));
  }

  /** Whole, which {@link ProcessHandle#info} does not tell of a long one; empty if it has ended. */
  private static String commandLine(long pid) {
    try {
      return Files.readString(Path.of("/proc", Long.toString(pid), "cmdline"));
    } catch (IOException ended) {
      return "";
    }
  }

  /** How it is now. */
  JsonNode status() {
    return ask("status", JsonNodeFactory.instance.objectNode());
  }

  /** Asks over its admin socket. */
  JsonNode ask(String command, ObjectNode arguments) {
    return admin.call(command, arguments);
  }

  /**
   * Which invariants it has broken since its start, and how often; empty if none, or if it runs no
   * more, stands still, or does not answer.
   */
  String brokenInvariants() {
    if (!process.isAlive()
        || waker != null
        || !(brief.ask("status") instanceof AdminClient.Reply.Result(JsonNode status))) {
      return "";
    }
    StringBuilder broken = new StringBuilder();
    for (Map.Entry<String, JsonNode> each : status.path("invariants_broken").properties()) {
      if (each.getValue().asLong() != 0) {
        broken.append(' ').append(name).append(": ").append(each);
      }
    }
    return broken.toString();
  }

  /** Waits until its status is such; fails at once if it ends before. */
  JsonNode await(String what, Predicate<JsonNode> condition) throws InterruptedException {
    long deadlineNs = System.nanoTime() + Await.LIMIT.toNanos();
    String last = "it never answered";
    while (System.nanoTime() - deadlineNs < 0) {
      if (!process.isAlive()) {
        throw new AssertionError(
            name + " ended with " + process.exitValue() + " before: " + what + "\n" + tail(40));
      }
      switch (admin.ask("status")) {
        case AdminClient.Reply.Result(JsonNode status) -> {
          if (condition.test(status)) {
            return status;
          }
          last = status.toPrettyString();
        }
        case AdminClient.Reply.Refused refused -> last = refused.toString();
        case AdminClient.Reply.Dead dead -> last = dead.toString();
        case AdminClient.Reply.Unresponsive unresponsive -> last = unresponsive.toString();
      }
      Thread.sleep(10);
    }
    throw new AssertionError(
        name + ", not within " + Await.LIMIT.toSeconds() + " s: " + what + "; last: " + last);
  }

  /** Until it has written this into its log. */
  void awaitSaying(String text) throws InterruptedException {
    Await.until(name + " says: " + text, () -> log().contains(text));
  }

  /**
   * kill -9, and waits until it is gone; fails if it stays, and says in what its threads wait.
   *
   * <p>One that waits in the kernel for a caller of its mount stays until its guard aborts that.
   */
  void kill() throws InterruptedException {
    process.destroyForcibly();
    if (!process.waitFor(Await.LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new AssertionError(
          name
              + " was killed and is not gone within "
              + Await.LIMIT.toSeconds()
              + " s; its threads:\n"
              + threads());
    }
  }

  /**
   * SIGSTOP: it is silent, and its sockets stay; to the others that is a partition.
   *
   * <p>Who will wake it is started before: a new process closes what it inherits, and a file that
   * this one has open on the mount of a silent worker cannot be closed.
   */
  void freeze() throws IOException, InterruptedException {
    String script = "kill -STOP " + pid() + " && echo stopped; read go; kill -CONT " + pid();
    Process started = new ProcessBuilder("sh", "-c", script).start();
    waker = started;
    if (started.getInputStream().read() < 0) {
      throw new AssertionError("cannot stop " + name);
    }
    // A thread stops when it is next scheduled; until then it may still answer somebody. One that
    // waits in the kernel does so already.
    Await.until("all threads of " + name + " stand still", () -> states().matches("[TD]+"));
  }

  /** The states of all threads that there are, a letter each. */
  private String states() throws IOException {
    StringBuilder states = new StringBuilder();
    for (Path thread : threadFolders()) {
      String stat = Files.readString(thread.resolve("stat"), StandardCharsets.ISO_8859_1);
      states.append(stat.charAt(stat.lastIndexOf(')') + 2));
    }
    return states.toString();
  }

  private String threads() {
    StringBuilder text = new StringBuilder();
    try {
      for (Path thread : threadFolders()) {
        text.append(Files.readString(thread.resolve("comm")).strip())
            .append(": ")
            .append(Files.readString(thread.resolve("stack")).replace("\n", "; "))
            .append('\n');
      }
    } catch (IOException gone) {
      text.append(gone);
    }
    return text.toString();
  }

  private List<Path> threadFolders() throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc", Long.toString(pid()), "task"))) {
      return all.toList();
    }
  }

  /** SIGCONT. */
  void thaw() throws IOException, InterruptedException {
    Process waiting = waker;
    if (waiting == null) {
      throw new AssertionError(name + " is not frozen");
    }
    waker = null;
    waiting.getOutputStream().close();
    waiting.waitFor();
  }

  /** SIGTERM. */
  void terminate() {
    process.destroy();
  }

  /** Its exit code, when it has ended. */
  int awaitExit(Duration limit) throws InterruptedException {
    if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new AssertionError(
          name + " does not end within " + limit.toSeconds() + " s\n" + tail(40));
    }
    return process.exitValue();
  }

  /** SIGTERM, then SIGKILL if that takes too long. */
  void end(Duration limit) throws InterruptedException {
    process.destroy();
    if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      kill();
    }
  }

  /** All that it and its predecessors of the same name have said. */
  String log() {
    try {
      return Files.readString(log, StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      return "(no log: " + unreadable + ")";
    }
  }

  /** The last lines of that. */
  String tail(int lines) {
    List<String> all = log().lines().toList();
    return "--- %s (process %d), end of its log%n%s%n"
        .formatted(
            name,
            process.pid(),
            String.join("\n", all.subList(Math.max(0, all.size() - lines), all.size())));
  }
}
