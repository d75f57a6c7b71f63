package io.hypersync.runtime.supervision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a service manager hears: datagrams on a real socket, which Python receives. */
@Timeout(30)
final class ServiceManagerTest {
  /** Prints a line when it listens, and one for each of so many datagrams. */
  private static final String RECEIVER =
      """
      import socket, sys
      s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
      name = sys.argv[1]
      s.bind("\\0" + name[1:] if name[0] == "@" else name)
      print("listens", flush=True)
      for _ in range(int(sys.argv[2])):
          print(s.recv(4096).decode().replace("\\n", "|"), flush=True)
      """;

  @TempDir Path directory;

  private static List<String> heard(String socket, int datagrams, Runnable telling)
      throws IOException {
    Process receiver =
        new ProcessBuilder("python3", "-c", RECEIVER, socket, Integer.toString(datagrams))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader lines = receiver.inputReader()) {
      assertEquals("listens", lines.readLine());
      telling.run();
      return lines.lines().toList();
    } finally {
      receiver.destroyForcibly();
    }
  }

  private static ServiceManager at(String socket) {
    return ServiceManager.of(Map.of("NOTIFY_SOCKET", socket)).orElseThrow();
  }

  @Test
  void itHearsWhatTheDaemonDoesAtAPathAndAtAnAbstractName() throws IOException {
    String pid = Long.toString(ProcessHandle.current().pid());
    for (String socket :
        List.of(directory.resolve("notify").toString(), "@hypersync-test-" + pid)) {
      ServiceManager manager = at(socket);
      assertEquals(
          List.of(
              "READY=1|MAINPID=" + pid + "|STATUS=worker w1 is ready",
              "WATCHDOG=1",
              "STOPPING=1|STATUS=stops"),
          heard(
              socket,
              3,
              () -> {
                manager.ready("worker w1 is ready");
                manager.alive();
                manager.stopping();
              }));
    }
  }

  /** Names of workspaces are in it: none can say something else in the daemon's name. */
  @Test
  void aStatusIsOneLine() throws IOException {
    String socket = directory.resolve("notify").toString();
    assertEquals(
        List.of("READY=1|MAINPID=" + ProcessHandle.current().pid() + "|STATUS=a STOPPING=1"),
        heard(socket, 1, () -> at(socket).ready("a\nSTOPPING=1")));
  }

  @Test
  void aDaemonGoesOnIfNobodyHears() {
    at(directory.resolve("nobody").toString()).ready("ready");
    at("/" + "x".repeat(200)).alive();
  }

  @Test
  void withoutASocketThereIsNone() {
    assertTrue(ServiceManager.of(Map.of()).isEmpty());
    assertTrue(ServiceManager.of(Map.of("NOTIFY_SOCKET", "")).isEmpty());
    assertTrue(ServiceManager.of(Map.of("NOTIFY_SOCKET", "vsock:2:1234")).isEmpty());
  }

  @ParameterizedTest
  @CsvSource({"120000000,120000", "1000,1", "'',", "0,", "-5,", "soon,", "9223372036854775807,"})
  void theWatchdogsTimeIsInMicroseconds(String text, Long milliseconds) {
    assertEquals(
        Optional.ofNullable(milliseconds).map(Duration::ofMillis),
        ServiceManager.of(Map.of("NOTIFY_SOCKET", "/s", "WATCHDOG_USEC", text))
            .orElseThrow()
            .watchdog());
  }
}
