package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.hypersync.e2e.harness.Agents;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.ChildJvm;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import io.hypersync.runtime.text.ShellWords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code hypersync top} with real daemons, agents and locks, and on a real terminal. */
@RealMounts
class TopTest {
  private static final JsonMapper JSON = new JsonMapper();

  @RegisterExtension static final TestClusterExtension CLUSTER = new TestClusterExtension();

  /** A server of tmux for this process alone. */
  private static final String SERVER = "hypersync-test-" + ProcessHandle.current().pid();

  @TempDir Path directory;

  private static TestCluster cluster() {
    return CLUSTER.get();
  }

  @AfterEach
  void endTheTerminal() throws Exception {
    var _ = Shell.run(directory, Map.of(), List.of("tmux", "-L", SERVER, "kill-server"));
  }

  private static JsonNode top(String view) throws Exception {
    String said =
        cluster().hypersync("top", "--json", "--view", view, "--interval", "200ms").orFail("top");
    return JSON.readTree(said.substring(said.indexOf('{')));
  }

  private static JsonNode row(JsonNode top, String view, String key, String value) {
    for (JsonNode row : top.path("views").path(view).path("rows")) {
      if (row.path(key).asText().equals(value)) {
        return row;
      }
    }
    return JSON.missingNode();
  }

  private static void overlap() throws Exception {
    Agents agents = new Agents(cluster());
    agents.done(
        () -> {
          Path folder = Files.createTempDirectory(cluster().mount("a"), "top-");
          agents.sh("Anna", folder, "echo one >f");
          agents.sh("Bert", folder, "echo two >f");
        });
  }

  @Test
  void agentsAndTheirConflictsAreThere() throws Exception {
    overlap();
    JsonNode agents = top("agents");
    assertEquals(1, agents.path("workspaces").size(), agents::toString);
    assertEquals("leader and worker", agents.at("/workspaces/0/role").asText());
    for (String agent : List.of("Anna", "Bert")) {
      JsonNode row = row(agents, "agents", "agent", agent);
      assertTrue(row.path("calls").asLong() > 0, agents::toString);
      assertTrue(row.path("hazards").asLong() > 0, agents::toString);
    }
    JsonNode conflict = row(top("conflicts"), "conflicts", "agent", "Bert@a");
    assertEquals("Anna@a", conflict.path("with").asText(), conflict::toString);
    assertTrue(conflict.path("path").asText().startsWith("top-"), conflict::toString);
    assertTrue(
        conflict.path("details").toString().contains("undo --agent Bert --since"),
        conflict::toString);
  }

  @Test
  void hostsLatencyStorageAndTheLogAreThere() throws Exception {
    overlap();
    String said = cluster().hypersync("top", "--json", "--interval", "300ms").orFail("top");
    JsonNode top = JSON.readTree(said.substring(said.indexOf('{')));
    for (String worker : List.of("a", "b")) {
      assertTrue(row(top, "hosts", "worker", worker).path("lag_entries").isNumber(), said);
    }
    JsonNode total = row(top, "latency", "stage", "total");
    assertTrue(total.path("p50_us").asDouble() >= total.path("floor_us").asDouble(), said);
    assertTrue(row(top, "latency", "stage", "sync").path("p50_us").asDouble() > 0, said);
    assertTrue(row(top, "storage", "what", "chunks").path("bytes").asLong() > 0, said);
    assertTrue(row(top, "log", "op", "Write").path("log_index").asLong() > 0, said);
    String text = cluster().hypersync("top", "--once", "--interval", "200ms").orFail("top");
    assertTrue(text.contains("overview: daemons of this host"), text);
    assertTrue(text.contains("worker a"), text);
  }

  /** Other tests have locks, too. */
  private static JsonNode lock(String state, Object inode) throws Exception {
    for (JsonNode row : top("locks").path("views").path("locks").path("rows")) {
      if (row.path("state").asText().equals(state) && inode.equals(row.path("inode").asLong())) {
        return row;
      }
    }
    return JSON.missingNode();
  }

  @Test
  void whoWaitsForALockIsThereAndForWhom() throws Exception {
    Path file = Files.createTempFile(cluster().mount("a"), "lock-", "");
    Object inode = Files.getAttribute(file, "unix:ino");
    Process holder = new ProcessBuilder("flock", file.toString(), "cat").start();
    try {
      Await.until("a lock", () -> !lock("holds", inode).isMissingNode());
      Process waiter = new ProcessBuilder("flock", file.toString(), "true").start();
      List<JsonNode> waits = new ArrayList<>();
      Await.until(
          "one that waits",
          () -> {
            waits.add(lock("waits", inode));
            return !waits.getLast().isMissingNode();
          });
      JsonNode row = waits.getLast();
      assertEquals(holder.pid() + "@a", row.path("waits_for").asText(), row::toString);
      assertEquals(waiter.pid() + "@a", row.path("owner").asText(), row::toString);
      holder.getOutputStream().close();
      assertEquals(0, waiter.waitFor());
    } finally {
      holder.destroy();
    }
  }

  private String tmux(String... words) throws Exception {
    List<String> command = new ArrayList<>(List.of("tmux", "-L", SERVER, "-f", "/dev/null"));
    command.addAll(List.of(words));
    return Shell.must(directory, command.toArray(String[]::new));
  }

  private String screen() throws Exception {
    return tmux("capture-pane", "-p");
  }

  private void awaitScreen(String what) throws Exception {
    try {
      Await.until(what + " on the screen", () -> screen().contains(what));
    } catch (AssertionError never) {
      throw new AssertionError("the screen:\n" + screen(), never);
    }
  }

  private void type(String line) throws Exception {
    tmux("send-keys", line, "Enter");
  }

  private Path script() throws IOException {
    List<String> command =
        ChildJvm.command(
            List.of(
                "top", "--interval", "500ms", "--run-dir", cluster().runDirectory().toString()));
    Path run = directory.resolve("run.sh");
    Files.writeString(
        run, "echo $$ >" + directory + "/pid\nexec " + ShellWords.line(command) + "\n");
    return run;
  }

  /** As the shell has found it. */
  private void assertCanonical(String mark) throws Exception {
    type("stty -a | grep -o -w -e -icanon -e icanon | tr '\\n' ' '; echo " + mark);
    awaitScreen("icanon " + mark);
    assertTrue(!screen().contains("-icanon " + mark), screen());
  }

  @Test
  void theTerminalIsGivenBackWhenItStopsAndWhenItEnds() throws Exception {
    overlap();
    Path script = script();
    tmux("new-session", "-d", "-x", "80", "-y", "24", "env PS1='$ ' bash --norc --noprofile -i");
    type("sh " + script);
    awaitScreen("1OVERVIEW");
    awaitScreen("worker b");
    for (String line : screen().split("\n", -1)) {
      assertTrue(line.length() <= 80, line);
    }
    tmux("send-keys", "2", "/", "A", "n", "n", "a", "Enter"); // other tests have agents, too
    awaitScreen("has \"Anna\"");
    awaitScreen("Anna   ");
    tmux("send-keys", "?");
    awaitScreen("why:    ");
    tmux("send-keys", "x", "3");
    awaitScreen("overlapping_write");
    tmux("resize-window", "-x", "120", "-y", "30");
    Await.until("the new height", () -> screen().lines().count() == 30);

    tmux("send-keys", "C-z");
    awaitScreen("Stopped");
    assertCanonical("MARK1");
    type("fg");
    awaitScreen("3CONFLICTS");
    tmux("send-keys", "q");
    String pid = Files.readString(directory.resolve("pid")).strip();
    Await.until("the end of top", () -> !Files.exists(Path.of("/proc", pid)));
    awaitScreen("Stopped"); // the shell's screen is back
    assertCanonical("MARK2");
  }
}
