package io.hypersync.e2e.harness;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.runtime.admin.AdminClient;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A leader or worker in a process of its own. */
public final class DaemonJvm {
  private static final Duration ASK_LIMIT = Duration.ofSeconds(20);

  /** For daemons in an unknown state, after their test. */
  private static final Duration BRIEF_LIMIT = Duration.ofSeconds(5);

  private static final int LINES_BESIDE_THREADS = 30;

  private final String name;
  private final Process process;
  private final Path log;
  private final AdminClient admin;
  private final AdminClient brief;

  /** Those that this JVM has started and that have not ended, as far as is known. */
  private static final Set<DaemonJvm> STARTED = ConcurrentHashMap.newKeySet();

  /** Sends SIGCONT while the process is stopped; null if it is not stopped. */
  private volatile @Nullable Process waker;

  private DaemonJvm(String name, Process process, Path log, Path socket) {
    this.name = name;
    this.process = process;
    this.log = log;
    this.admin = new AdminClient(socket, ASK_LIMIT);
    this.brief = new AdminClient(socket, BRIEF_LIMIT);
  }

  /**
   * Starts the process without waiting until it is ready.
   *
   * @param by words before the command line, of a program that becomes this process
   * @param log file to which its output is appended
   * @param socket admin socket on which it will answer
   * @param javaOptions options of its JVM, which override the common ones
   * @param arguments after {@code hypersync}
   * @param environment additional environment variables
   */
  public static DaemonJvm start(
      String name,
      Path log,
      Path socket,
      List<String> by,
      List<String> javaOptions,
      List<String> arguments,
      Map<String, String> environment)
      throws IOException {
    List<String> command = new ArrayList<>(by);
    command.addAll(ChildJvm.command(javaOptions, arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    builder
        .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    DaemonJvm started = new DaemonJvm(name, builder.start(), log, socket);
    STARTED.add(started);
    var _ = started.process.onExit().thenRun(() -> STARTED.remove(started));
    return started;
  }

  /** Another daemon in the same process, which answers on this socket. */
  DaemonJvm beside(String other, Path socket) {
    return new DaemonJvm(other, process, log, socket);
  }

  String name() {
    return name;
  }

  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** The child process whose command line contains this word; fails if there is none. */
  public ProcessHandle helper(String word) {
    return process
        .children()
        .filter(child -> commandLine(child.pid()).contains(word))
        .findFirst()
        .orElseThrow(() -> new AssertionError(name + " has no helper process " + word));
  }

  /**
   * The whole command line, which {@link ProcessHandle#info} omits if it is long; empty if the
   * process has ended.
   */
  private static String commandLine(long pid) {
    try {
      return Files.readString(Path.of("/proc", Long.toString(pid), "cmdline"));
    } catch (IOException ended) {
      return "";
    }
  }

  /** The result of the status command. */
  public JsonNode status() {
    return ask("status", JsonNodeFactory.instance.objectNode());
  }

  /** Sends a command over the admin socket. */
  public JsonNode ask(String command, ObjectNode arguments) {
    return admin.call(command, arguments);
  }

  /**
   * The invariants that it has broken since its start, with counts. Empty if there are none, and if
   * the process has ended, is stopped, or does not answer.
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

  /** Waits until the condition holds for its status; fails at once if the process ends before. */
  public JsonNode await(String what, Predicate<JsonNode> condition) throws InterruptedException {
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
    throw Await.missed(
        name + ", not within " + Await.LIMIT.toSeconds() + " s: " + what + "; last: " + last, null);
  }

  /**
   * The ends of the logs, and what the threads are doing, of all daemons that this JVM has started
   * and that run: for a failure that says that something took too long.
   */
  static String threadsOfAll() throws InterruptedException {
    StringBuilder text = new StringBuilder();
    for (DaemonJvm daemon : STARTED) {
      text.append(daemon.javaThreads());
    }
    return text.toString();
  }

  /** Its log's end, and what its threads are doing; empty if it has ended or is stopped. */
  private String javaThreads() throws InterruptedException {
    if (!process.isAlive() || waker != null) {
      return "";
    }
    String before = tail(LINES_BESIDE_THREADS); // the dump goes to the log, too
    String dump;
    try {
      dump = ThreadDump.of(pid(), log);
    } catch (IOException unreadable) {
      dump = "(no dump: " + unreadable + ")\n";
    }
    return "%s--- %s (process %d), its threads%n%s%n".formatted(before, name, pid(), dump);
  }

  /** Waits until its log contains this text. */
  public void awaitSaying(String text) throws InterruptedException {
    Await.until(name + " says: " + text, () -> log().contains(text));
  }

  /**
   * Sends SIGKILL and waits until the process is gone; on a timeout fails with the kernel stacks of
   * its threads.
   *
   * <p>A process with a thread that waits in the kernel for a caller of its own mount stays until
   * its guard aborts the FUSE connection.
   */
  public void kill() throws InterruptedException {
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
   * Sends SIGSTOP: the process is silent while its sockets stay open, which looks like a partition
   * to its peers.
   *
   * <p>The process that will send SIGCONT is started before, because a new process closes the
   * descriptors it inherits, and closing a file on the mount of a stopped worker would block.
   */
  public void freeze() throws IOException, InterruptedException {
    String script = "kill -STOP " + pid() + " && echo stopped; read go; kill -CONT " + pid();
    Process started = new ProcessBuilder("sh", "-c", script).start();
    waker = started;
    if (started.getInputStream().read() < 0) {
      throw new AssertionError("cannot stop " + name);
    }
    // A thread stops when it is next scheduled; until then it may still answer a request. A thread
    // that waits in the kernel counts as stopped.
    Await.until("all threads of " + name + " stand still", () -> states().matches("[TD]+"));
  }

  /** Fails if it is stopped. */
  void requireNotFrozen() {
    if (waker != null) {
      throw new AssertionError(name + " is frozen");
    }
  }

  /** The states of all its threads, one letter each. */
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

  /** Sends SIGCONT. */
  public void thaw() throws IOException, InterruptedException {
    Process waiting = waker;
    if (waiting == null) {
      throw new AssertionError(name + " is not frozen");
    }
    waker = null;
    waiting.getOutputStream().close();
    waiting.waitFor();
  }

  /** Sends SIGTERM. */
  public void terminate() {
    process.destroy();
  }

  /** Waits until it has ended; returns its exit code. */
  public int awaitExit(Duration limit) throws InterruptedException {
    if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      throw Await.missed(
          name + " does not end within " + limit.toSeconds() + " s\n" + tail(40), null);
    }
    return process.exitValue();
  }

  /** Sends SIGTERM, then SIGKILL if that takes too long, which is told of. */
  public void end(Duration limit) throws InterruptedException {
    process.destroy();
    if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      if (waker == null) {
        System.err.println(
            name + " does not end within " + limit.toSeconds() + " s of SIGTERM\n" + javaThreads());
      }
      kill();
    }
  }

  /** The whole log of this process and of its predecessors of the same name. */
  public String log() {
    try {
      return Files.readString(log, StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      return "(no log: " + unreadable + ")";
    }
  }

  /** The last lines of the log. */
  public String tail(int lines) {
    List<String> all = log().lines().toList();
    return "--- %s (process %d), end of its log%n%s%n"
        .formatted(
            name,
            process.pid(),
            String.join("\n", all.subList(Math.max(0, all.size() - lines), all.size())));
  }
}
