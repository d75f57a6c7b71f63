package io.hypersync.cli.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.runtime.admin.AdminClient;
import io.hypersync.runtime.admin.AdminCommand;
import io.hypersync.runtime.admin.AdminServer;
import io.hypersync.runtime.admin.Daemon;
import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A daemon's process from its start to each way of ending. */
@Timeout(60)
final class DaemonProcessTest {
  private static final ObjectNode NOTHING = JsonNodeFactory.instance.objectNode();

  @TempDir Path directory;
  private final FakeDaemon daemon = new FakeDaemon();

  private static final class FakeDaemon implements Daemon {
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private volatile boolean closed;

    @Override
    public Map<String, AdminCommand> adminCommands() {
      return Map.of("echo", args -> args);
    }

    @Override
    public CompletableFuture<Void> ended() {
      return ended;
    }

    @Override
    public ObjectNode status() {
      return JsonNodeFactory.instance.objectNode().put("role", "worker");
    }

    @Override
    public void close() {
      closed = true;
      ended.complete(null);
    }
  }

  private Path socket() {
    return directory.resolve("worker-00000000-a.sock");
  }

  private AdminClient client() {
    return new AdminClient(socket(), Duration.ofSeconds(10));
  }

  private CompletableFuture<Void> run() throws InterruptedException {
    CompletableFuture<Void> end =
        CompletableFuture.runAsync(
            () -> {
              try {
                new DaemonProcess("worker a", socket(), Practising.NOT).run(_ -> daemon, NOTHING);
              } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
              }
            },
            task -> Thread.ofPlatform().start(task));
    while (!Files.exists(socket()) && !end.isDone()) {
      Thread.sleep(5);
    }
    return end;
  }

  @Test
  void itAnswersWithItsStatusItsProcessAndItsOwnCommands() throws Exception {
    CompletableFuture<Void> end = run();
    JsonNode status = client().call("status", NOTHING);
    assertEquals("worker", status.path("role").asText());
    assertEquals(ProcessHandle.current().pid(), status.path("pid").asLong());
    assertEquals(socket().toString(), status.path("socket").asText());
    assertTrue(status.path("uptime_ms").asLong() >= 0);
    ObjectNode args = JsonNodeFactory.instance.objectNode().put("x", 1);
    assertEquals(args, client().call("echo", args));
    client().call("stop", NOTHING);
    end.get(30, TimeUnit.SECONDS);
  }

  @Test
  void whoAsksItToStopIsAnsweredWhenItHasStopped() throws Exception {
    CompletableFuture<Void> end = run();
    client().call("stop", NOTHING);
    assertTrue(daemon.closed, "it was answered before it was closed");
    end.get(30, TimeUnit.SECONDS);
    assertFalse(Files.exists(socket()), "the socket stayed behind");
  }

  @Test
  void itEndsWithADaemonThatEndsByItself() throws Exception {
    CompletableFuture<Void> end = run();
    daemon.ended.complete(null);
    end.get(30, TimeUnit.SECONDS);
    assertTrue(daemon.closed);
  }

  @Test
  void aDaemonThatIsForcedToEndSaysWhy() throws Exception {
    CompletableFuture<Void> end = run();
    daemon.ended.completeExceptionally(new UserError("the disk is full", "Free some."));
    ExecutionException failure =
        assertThrows(ExecutionException.class, () -> end.get(30, TimeUnit.SECONDS));
    assertEquals("the disk is full", failure.getCause().getMessage());
    assertTrue(daemon.closed);
  }

  /** A service manager decides by the exit code whether to restart a process. */
  @Test
  void aProcessWhoseDaemonIsForcedToEndFailsAndDoesSoAtOnce() throws Exception {
    Path log = directory.resolve("log");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                ForcedToEnd.class.getName(),
                socket().toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      assertTrue(process.waitFor(30, TimeUnit.SECONDS), "it hangs");
    } finally {
      process.destroyForcibly();
    }
    assertEquals(ForcedToEnd.EXIT_CODE, process.exitValue(), () -> read(log));
    assertFalse(read(log).contains("without its last steps"), () -> read(log));
    assertFalse(Files.exists(socket()), "the socket stayed behind");
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /** A process whose daemon fails; it exits with the command's exit code. */
  static final class ForcedToEnd {
    static final int EXIT_CODE = 7;

    private ForcedToEnd() {}

    public static void main(String[] args) throws InterruptedException {
      FakeDaemon daemon = new FakeDaemon();
      daemon.ended.completeExceptionally(
          new UserError("the disk is full", "Free some.", EXIT_CODE));
      try {
        new DaemonProcess("worker a", Path.of(args[0]), Practising.NOT).run(_ -> daemon, NOTHING);
      } catch (UserError forced) {
        System.exit(forced.exitCode());
      }
    }
  }

  @Test
  void aSecondDaemonOfTheSameNameIsNotStarted() {
    try (AdminServer _ = AdminServer.start(socket(), Map.of())) {
      UserError error =
          assertThrows(
              UserError.class,
              () ->
                  new DaemonProcess("worker a", socket(), Practising.NOT)
                      .run(
                          _ -> {
                            throw new AssertionError("it was started");
                          },
                          NOTHING));
      assertTrue(error.message().contains("already listening"), error.message());
    }
  }
}
