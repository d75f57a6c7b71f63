package io.hypersync.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.runtime.admin.AdminClient;
import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A leader or a worker in its own process, started through the launcher. */
public final class ChildDaemon {
  private static final Duration ASK_LIMIT = Duration.ofSeconds(2);
  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(20);
  private static final int POLL_MS = 20;
  private static final int LOG_LINES = 15;
  private static final String JAVA_OPTIONS = "HYPERSYNC_JAVA_OPTS";

  private final String name;
  private final List<String> arguments;
  private final List<String> javaOptions;
  private final Optional<Path> launcher;
  private volatile Process process;
  private boolean stopped;
  private final Path log;
  private final Path socket;
  private final AdminClient admin;

  /** An action between the end of a daemon and its restart. */
  @FunctionalInterface
  public interface Between {
    void run() throws IOException, InterruptedException;
  }

  private ChildDaemon(
      String name,
      List<String> arguments,
      List<String> javaOptions,
      Optional<Path> launcher,
      Process process,
      Path log,
      Path socket) {
    this.name = name;
    this.arguments = arguments;
    this.javaOptions = javaOptions;
    this.launcher = launcher;
    this.process = process;
    this.log = log;
    this.socket = socket;
    this.admin = new AdminClient(socket, ASK_LIMIT);
  }

  /**
   * Starts the process; it may not be ready yet when this returns.
   *
   * @param name for output and errors
   * @param socket its admin socket
   * @param log file that its output is appended to
   * @param arguments of the launcher
   * @param javaOptions for its JVM, in addition to the launcher's and those of the environment
   * @param launcher that of another build; empty for the one that runs this command
   * @throws UserError if one of these options contains whitespace
   */
  static ChildDaemon start(
      String name,
      Path socket,
      Path log,
      List<String> arguments,
      List<String> javaOptions,
      Optional<Path> launcher)
      throws IOException {
    return new ChildDaemon(
        name,
        List.copyOf(arguments),
        List.copyOf(javaOptions),
        launcher,
        launch(arguments, javaOptions, launcher, log),
        log,
        socket);
  }

  /**
   * Another daemon in the same process, which ends with this one.
   *
   * @param otherSocket its own admin socket
   */
  ChildDaemon beside(String other, Path otherSocket) {
    return new ChildDaemon(other, arguments, javaOptions, launcher, process, log, otherSocket);
  }

  private static Process launch(
      List<String> arguments, List<String> javaOptions, Optional<Path> launcher, Path log)
      throws IOException {
    List<String> command = new ArrayList<>();
    // In its own session, so that Ctrl-C reaches only this command, which then stops the daemons in
    // order.
    command.add("setsid");
    command.add(launcher.map(Path::toString).orElseGet(ChildDaemon::launcher));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("HYPERSYNC_NO_BUILD", "1");
    if (!javaOptions.isEmpty()) {
      builder
          .environment()
          .merge(JAVA_OPTIONS, inOneLine(javaOptions), (own, more) -> own + " " + more);
    }
    builder
        .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
        .redirectErrorStream(true);
    return builder.start();
  }

  /** Joins options in the launcher's form, which splits them at whitespace. */
  private static String inOneLine(List<String> javaOptions) {
    for (String option : javaOptions) {
      if (option.chars().anyMatch(Character::isWhitespace)) {
        throw new UserError(
            "a folder whose name has a blank in it cannot be told to a JVM: " + option,
            "Use another folder.");
      }
    }
    return String.join(" ", javaOptions);
  }

  /** The launcher that runs this command. */
  static String launcher() {
    String launcher = System.getenv("HYPERSYNC_LAUNCHER");
    if (launcher == null) {
      throw new UserError("this command needs the launcher", "Run it as: ./hypersync <command>");
    }
    return launcher;
  }

  /** Returns its process id, which is the JVM's, because the launcher execs it. */
  public long pid() {
    return process.pid();
  }

  /**
   * Asks for its status.
   *
   * @throws UserError if it does not answer
   */
  public JsonNode status() {
    return answer(admin.ask("status"));
  }

  /**
   * Sends a command to its admin socket.
   *
   * @param limit how long it may take to answer
   * @throws UserError if it refuses it or does not answer
   */
  public JsonNode ask(String command, ObjectNode args, Duration limit) {
    return answer(new AdminClient(socket, limit).ask(command, args));
  }

  private JsonNode answer(AdminClient.Reply reply) {
    return switch (reply) {
      case AdminClient.Reply.Result(JsonNode value) -> value;
      case AdminClient.Reply.Refused(UserError error) -> throw error;
      case AdminClient.Reply.Dead(String reason) -> throw gone(reason);
      case AdminClient.Reply.Unresponsive(String reason) -> throw gone(reason);
    };
  }

  /**
   * Polls its status until it answers and the condition holds, for at most {@link #START_LIMIT}.
   *
   * @param goal completes "did not ... in time"
   * @return the status for which the condition held
   * @throws UserError if the process ended or the time is up
   */
  public JsonNode await(String goal, Predicate<JsonNode> condition) throws InterruptedException {
    return await(goal, condition, START_LIMIT);
  }

  /** The same with a limit of its own. */
  public JsonNode await(String goal, Predicate<JsonNode> condition, Duration limit)
      throws InterruptedException {
    long deadlineNs = System.nanoTime() + limit.toNanos();
    while (System.nanoTime() - deadlineNs < 0) {
      if (!process.isAlive()) {
        throw gone("it ended with " + process.exitValue());
      }
      if (admin.ask("status") instanceof AdminClient.Reply.Result(JsonNode status)
          && condition.test(status)) {
        return status;
      }
      Thread.sleep(POLL_MS);
    }
    throw gone("it did not " + goal + " within " + limit.toSeconds() + " s");
  }

  /**
   * Kills it with SIGKILL, so that it writes nothing more, and starts it again.
   *
   * @param limit how long it may take until it answers again
   * @param between runs while no process exists; its duration is not counted
   * @return nanoseconds from the new start until it answered
   * @throws UserError if it does not answer in time, or is being stopped
   */
  public long killAndRestart(Duration limit, Between between)
      throws IOException, InterruptedException {
    process.destroyForcibly().waitFor();
    return startAgain(limit, between);
  }

  /**
   * Stops it with SIGTERM, as a service manager does, and starts it again.
   *
   * @param limit how long it may take to end, and then until it answers again
   * @param between runs while no process exists; its duration is not counted
   * @return nanoseconds from the new start until it answered
   * @throws UserError if it does not end or answer in time, or is being stopped
   */
  public long stopAndRestart(Duration limit, Between between)
      throws IOException, InterruptedException {
    process.destroy();
    if (!process.waitFor(limit.toSeconds(), TimeUnit.SECONDS)) {
      throw gone("it did not end within " + limit.toSeconds() + " s");
    }
    return startAgain(limit, between);
  }

  private long startAgain(Duration limit, Between between)
      throws IOException, InterruptedException {
    between.run();
    long beganNs = System.nanoTime();
    relaunch();
    await("answer again", status -> status.path("mounted").asBoolean(true), limit);
    return System.nanoTime() - beganNs;
  }

  /**
   * Fails after {@link #stop}, which may run on another thread: nobody would end the new process.
   */
  private synchronized void relaunch() throws IOException {
    if (stopped) {
      throw new UserError("the " + name + " is being stopped", "");
    }
    process = launch(arguments, javaOptions, launcher, log);
  }

  /** Sends SIGTERM, and SIGKILL if the process has not ended within {@link #STOP_LIMIT}. */
  public void stop() throws InterruptedException {
    Process last = last();
    last.destroy();
    if (!last.waitFor(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
      last.destroyForcibly().waitFor();
    }
  }

  private synchronized Process last() {
    stopped = true;
    return process;
  }

  private UserError gone(String reason) {
    return new UserError("the " + name + " is of no use: " + reason, endOfLog());
  }

  private String endOfLog() {
    try {
      List<String> lines = Files.readAllLines(log);
      return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
    } catch (IOException unreadable) {
      return "";
    }
  }
}
