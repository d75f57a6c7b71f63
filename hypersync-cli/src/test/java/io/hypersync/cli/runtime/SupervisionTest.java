package io.hypersync.cli.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.runtime.admin.AdminCommand;
import io.hypersync.runtime.admin.Daemon;
import io.hypersync.runtime.admin.UserError;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the service manager hears of a daemon that makes progress, and of one that does not. */
@Timeout(60)
final class SupervisionTest {
  private static final String RECEIVER =
      """
      import socket, sys
      s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
      s.bind(sys.argv[1])
      print("listens", flush=True)
      while True:
          print(s.recv(4096).decode().split("\\n")[0], flush=True)
      """;

  /** A sixth of it is a turn. */
  private static final long WATCHDOG_MS = 600;

  @TempDir Path directory;
  private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
  private final Beating daemon = new Beating();
  private Process receiver;
  private Supervision supervision;

  /** A daemon whose loop can be stopped. */
  private static final class Beating implements Daemon {
    private volatile boolean hangs;

    @Override
    public void beat() {
      if (hangs) {
        throw new UserError("the leader is too busy to answer", "");
      }
    }

    @Override
    public ObjectNode status() {
      return JsonNodeFactory.instance.objectNode();
    }

    @Override
    public Map<String, AdminCommand> adminCommands() {
      return Map.of();
    }

    @Override
    public CompletableFuture<Void> ended() {
      return new CompletableFuture<>();
    }

    @Override
    public void close() {}
  }

  @BeforeEach
  void listen() throws IOException {
    String socket = directory.resolve("notify").toString();
    receiver =
        new ProcessBuilder("python3", "-c", RECEIVER, socket)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    BufferedReader lines = receiver.inputReader();
    assertEquals("listens", lines.readLine());
    Thread _ = Thread.ofVirtual().start(() -> lines.lines().forEach(heard::add));
    supervision =
        new Supervision(
            Map.of("NOTIFY_SOCKET", socket, "WATCHDOG_USEC", Long.toString(WATCHDOG_MS * 1000)));
  }

  @AfterEach
  void end() {
    receiver.destroyForcibly();
  }

  private String next() throws InterruptedException {
    return String.valueOf(heard.poll(20, TimeUnit.SECONDS));
  }

  /** Whether nothing is heard for longer than the service manager waits. */
  private boolean isSilent() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(WATCHDOG_MS / 3); // what was under way
    heard.clear();
    return heard.poll(WATCHDOG_MS, TimeUnit.MILLISECONDS) == null;
  }

  @Test
  void aDaemonThatHangsIsNotSaidToLiveUntilItGoesOn() throws InterruptedException {
    supervision.ready("leader of team", daemon);
    assertEquals("READY=1", next());
    assertEquals("WATCHDOG=1", next());
    daemon.hangs = true;
    assertTrue(isSilent());
    daemon.hangs = false;
    assertEquals("WATCHDOG=1", next());
  }

  /** An observer has become the leader, and recovers the log: nothing serves, nothing hangs. */
  @Test
  void betweenTwoDaemonsTheProcessLives() throws InterruptedException {
    supervision.ready("observer of team", daemon);
    daemon.hangs = true;
    assertTrue(isSilent());
    supervision.ended();
    assertFalse(isSilent());
  }

  @Test
  void anEndThatIsWantedIsSaid() throws InterruptedException {
    supervision.ready("worker w1", daemon);
    supervision.stopping();
    String said = next();
    while (!said.equals("STOPPING=1")) {
      assertTrue(said.equals("READY=1") || said.equals("WATCHDOG=1"), said);
      said = next();
    }
  }
}
