package io.hypersync.cli.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.Invocation;
import io.hypersync.runtime.admin.AdminServer;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code top} without a screen, with daemons whose answers are scripted. */
final class TopCommandTest {
  @TempDir Path run;

  private final AtomicLong commits = new AtomicLong(100);

  private AdminServer leader() {
    return AdminServer.start(
        run.resolve("leader-00112233.sock"),
        Map.of(
            "status",
            _ -> status(),
            "hazards",
            args ->
                args.has("after")
                    ? JsonNodeFactory.instance.objectNode()
                    : hazards(args.path("within").asLong())));
  }

  private ObjectNode status() {
    return JsonNodeFactory.instance
        .objectNode()
        .put("role", "leader")
        .put("workspace", "00112233445566778899aabbccddeeff")
        .put("workspace_name", "te\u001b[2Jam")
        .put("pid", 7)
        .put("commit_index", commits.addAndGet(50));
  }

  private static ObjectNode hazards(long within) {
    assertTrue(within > 0 && within <= 100_000, "the log is not read as a whole: " + within);
    ObjectNode found = JsonNodeFactory.instance.objectNode().put("commit_index", 100);
    found
        .putArray("entries")
        .addObject()
        .put("log_index", 90)
        .put("agent", "Blue")
        .putArray("hazards")
        .addObject()
        .put("kind", "destroyed_work")
        .put("path", "a");
    return found;
  }

  private Invocation top(String... words) {
    String[] all = new String[words.length + 5];
    System.arraycopy(words, 0, all, 5, words.length);
    all[0] = "top";
    all[1] = "--run-dir";
    all[2] = run.toString();
    all[3] = "--interval";
    all[4] = "200ms";
    return Invocation.of(all);
  }

  @Test
  void aDaemonThatHangsIsNamedAndTheOthersAreShown() throws IOException {
    Path hung = run.resolve("worker-00112233-fmd.sock");
    try (AdminServer _ = leader();
        ServerSocketChannel silent = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      silent.bind(UnixDomainSocketAddress.of(hung));
      Invocation said = top("--json", "--view", "conflicts");
      assertEquals(0, said.exitCode(), said.err());
      JsonNode json = new ObjectMapper().readTree(said.out());
      assertEquals(1, json.path("silent").size(), said.out());
      assertEquals(hung.toString(), json.at("/silent/0/socket").asText());
      assertFalse(json.at("/silent/0/is_dead").asBoolean(true));
      assertEquals("Blue", json.at("/views/conflicts/rows/0/agent").asText(), said.out());
      assertEquals(1, json.path("views").size(), "only what was asked for");
      assertTrue(json.at("/workspaces/0/commits_per_s").asDouble() > 0, said.out());
      assertEquals("te\\x1b[2Jam", json.at("/workspaces/0/workspace_name").asText());
    }
  }

  @Test
  void aDaemonOfAnotherVersionLacksSomeViewsOnly() {
    try (AdminServer _ = leader()) {
      Invocation said = top("--once", "--view", "locks");
      assertEquals(0, said.exitCode(), said.err());
      assertTrue(said.out().contains("this daemon knows no command \"locks\""), said.out());
      assertTrue(said.out().contains("workspace te\\x1b[2Jam"), said.out());
      assertEquals(-1, said.out().indexOf('\u001b'), said.out());
    }
  }

  @Test
  void whereNoDaemonIsThatIsSaid() {
    Invocation once = top("--once", "--view", "overview");
    assertEquals(1, once.exitCode());
    assertTrue(once.out().contains("No HyperSync daemon runs on this machine"), once.out());
    Invocation screen = top();
    assertEquals(1, screen.exitCode());
    assertTrue(
        screen.err().startsWith("hypersync: no HyperSync daemon runs on this machine (looked in "),
        screen.err());
  }

  @Test
  void aTerminalThatIsNoneIsSaidAndWhatHelps() {
    try (AdminServer _ = leader()) {
      Invocation said = top();
      assertEquals(2, said.exitCode(), said.err());
      assertTrue(said.err().contains("are no terminal"), said.err());
      assertTrue(said.err().contains("--once writes"), said.err());
    }
  }

  @Test
  void whatMakesNoSenseIsAnsweredWithWhatDoes() {
    Invocation view = top("--view", "agent");
    assertEquals(2, view.exitCode());
    assertTrue(view.err().contains("These are there: overview, agents,"), view.err());
    for (String interval : new String[] {"1h", "1ms", "soon"}) {
      Invocation said = Invocation.of("top", "--interval", interval);
      assertEquals(2, said.exitCode(), interval);
      assertTrue(said.err().startsWith("hypersync: --interval: "), said.err());
    }
    try (AdminServer _ = leader()) {
      Invocation workspace = top("--once", "--workspace", "other");
      assertEquals(2, workspace.exitCode());
      assertTrue(workspace.err().contains("no daemon of workspace other"), workspace.err());
    }
  }
}
