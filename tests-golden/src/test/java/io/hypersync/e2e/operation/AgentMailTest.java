package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.fixtures.FakeAgentMail;
import io.hypersync.fixtures.FakeAgentMail.Dialect;
import io.hypersync.fixtures.FakeAgentMail.Mail;
import io.hypersync.fixtures.FakeAgentMail.Trouble;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The leader, mounts, and a server of Agent Mail together (hypersync.md 10.3, 11.2). */
@RealMounts
class AgentMailTest {
  private static final String PROJECT = "/ws/team";

  @Test
  void bothAgentsGetAMailAndNoneTwice() throws Exception {
    try (FakeAgentMail mail = server(Dialect.PYTHON);
        TestCluster cluster = TestCluster.create()) {
      mail.requireToken("secret");
      Path token = Files.writeString(cluster.root().resolve("token"), "secret\n");
      String[] settings =
          settings(
              mail.url(),
              "hypersync.agent_mail.messages=on",
              "hypersync.agent_mail.token_file=" + token);
      cluster.startLeader(settings);
      cluster.startWorkers("a", "b");
      write(cluster, "a", "Blue", "f", "one");
      cluster.settle("b");
      write(cluster, "b", "Green", "f", "two!");
      Await.until("a mail", () -> mail.mails().size() == 1);
      Mail first = mail.mails().getFirst();
      assertEquals(List.of("Green", "Blue"), first.to());
      assertEquals(PROJECT, first.project());
      assertTrue(first.subject().startsWith("[hypersync] "), first.subject());
      assertTrue(first.body().contains("`f`"), first.body());
      cluster.leader().await("know that", s -> s.path("agent_mail").path("sent").asInt() == 1);
      String status = cluster.hypersync("status").orFail("status");
      assertTrue(status.contains("1 sent"), status);
      assertFalse(cluster.leader().log().contains("secret"), "the token is in no log");
      assertFalse(cluster.leader().status().toString().contains("secret"), "and in no status");

      cluster.leader().kill();
      cluster.startLeader(settings);
      cluster.awaitWritable("a");
      cluster.awaitWritable("b");
      write(cluster, "a", "Blue", "g", "one");
      cluster.settle("b");
      write(cluster, "b", "Green", "g", "two!");
      Await.until(
          "a mail about another file",
          () -> mail.mails().stream().anyMatch(each -> each.body().contains("`g`")));
      List<String> entries = mail.mails().stream().map(AgentMailTest::firstEntry).toList();
      assertEquals(entries.stream().distinct().toList(), entries, "no entry is told twice");
      assertEquals(1, mail.registrations());
    }
  }

  @Test
  void aServerThatHangsIsNoReasonToWait() throws Exception {
    try (FakeAgentMail mail = server(Dialect.RUST);
        TestCluster cluster = TestCluster.create()) {
      mail.trouble(Trouble.HANG);
      cluster.startLeader(settings(mail.url(), "hypersync.agent_mail.messages=on"));
      cluster.startWorkers("a", "b");
      for (int i = 0; i < 10; i++) {
        write(cluster, "a", "Blue", "f" + i, "one");
      }
      cluster.settle("b");
      long slowestMs = 0;
      for (int i = 0; i < 10; i++) {
        long beganNs = System.nanoTime();
        write(cluster, "b", "Green", "f" + i, "two!");
        slowestMs = Math.max(slowestMs, (System.nanoTime() - beganNs) / 1_000_000);
      }
      long ms = slowestMs;
      System.out.println("slowest write beside a mail server that hangs: " + ms + " ms");
      assertTrue(ms < 4_000, () -> ms + " ms");
      cluster
          .leader()
          .await(
              "say so",
              status ->
                  status.path("agent_mail").path("last_error").asText().contains("within 5 s")
                      && status.path("reservations").path("last_error").asText().contains("5 s"));
    }
  }

  @Test
  void reservationsAreAskedForAndEnforced() throws Exception {
    try (FakeAgentMail mail = server(Dialect.RUST);
        TestCluster cluster = TestCluster.create()) {
      mail.reservations(PROJECT, List.of(FakeAgentMail.reservation(1, "Blue", "src/**", true)));
      cluster.startLeader(settings(mail.url(), "hypersync.agent_mail.enforce=on"));
      cluster.startWorker("a");
      Path a = cluster.mount("a");
      Await.until("a reservation", () -> known(cluster).path("active").asInt() == 1);
      assertEquals("http", known(cluster).path("source").asText());
      assertEquals("on", known(cluster).path("enforcement").asText());

      Files.createDirectories(a.resolve("src/.git")); // by nobody who has a name
      write(cluster, "a", "Blue", "src/f", "holder");
      for (String refused :
          List.of(
              "echo intruder | cat >>src/f",
              "printf intruder >src/g",
              "rm src/f",
              "mv src/f elsewhere",
              "mkdir src/d",
              "printf mine >mine && mv mine src/mine",
              "ln -s f src/l")) {
        Shell shell = as(cluster, "a", "Green", refused);
        assertTrue(shell.exit() != 0, () -> refused + " was done");
        assertTrue(shell.output().contains("Permission denied"), shell.output());
      }
      assertEquals("holder", Files.readString(a.resolve("src/f")));
      as(cluster, "a", "Green", "cat src/f && printf x >src/.git/index && printf x >free")
          .orFail("what is not held alone, or read");
      Files.writeString(a.resolve("src/nobody"), "who has no name is not refused");

      JsonNode now = known(cluster);
      assertTrue(now.path("refused").asInt() >= 7, now::toString);
      assertEquals("Green", now.path("refusals").path(0).path("agent").asText());
      assertEquals("Blue", now.path("refusals").path(0).path("holder").asText());
      String table = cluster.hypersync("reservations").orFail("reservations");
      assertTrue(table.contains("Enforced") && table.contains("src/f"), table);
      JsonNode log = cluster.log(1_000);
      for (JsonNode entry : log) {
        assertFalse(
            entry.path("agent").asText().equals("Green")
                && entry.path("detail").asText().contains("elsewhere"),
            "a refusal is in the log");
      }
    }
  }

  @Test
  void aProjectOutsideOfTheWorkspaceIsAMistake() throws Exception {
    try (TestCluster cluster = TestCluster.create()) {
      Shell shell =
          cluster.hypersync(
              "leader",
              "--dir",
              cluster.workspace().root().toString(),
              "--set",
              "hypersync.agent_mail.url=http://127.0.0.1:1/mcp/",
              "--set",
              "hypersync.agent_mail.projects=/elsewhere/pay");
      assertEquals(2, shell.exit());
      assertTrue(shell.output().contains("/elsewhere/pay is not in the workspace"), shell.output());
      Shell noToken =
          cluster.hypersync(
              "leader",
              "--dir",
              cluster.workspace().root().toString(),
              "--set",
              "hypersync.agent_mail.url=http://127.0.0.1:1/mcp/",
              "--set",
              "hypersync.agent_mail.token_file=/no/such/token");
      assertTrue(noToken.exit() != 0, noToken.output());
      assertTrue(noToken.output().contains("/no/such/token"), noToken.output());
    }
  }

  private static String firstEntry(Mail mail) {
    return mail.body().replaceAll("(?s).*?(log entry \\d+).*", "$1");
  }

  private static FakeAgentMail server(Dialect dialect) throws Exception {
    return FakeAgentMail.start(dialect).agent(PROJECT, "Blue").agent(PROJECT, "Green");
  }

  private static String[] settings(String url, String... more) {
    List<String> all = new ArrayList<>();
    for (String setting :
        List.of("hypersync.agent_mail.url=" + url, "hypersync.agent_mail.mount_paths=" + PROJECT)) {
      all.addAll(List.of("--set", setting));
    }
    for (String setting : more) {
      all.addAll(List.of("--set", setting));
    }
    return all.toArray(String[]::new);
  }

  private static void write(
      TestCluster cluster, String worker, String agent, String path, String text) throws Exception {
    as(cluster, worker, agent, "printf '" + text + "' >" + path).orFail("write as " + agent);
  }

  private static Shell as(TestCluster cluster, String worker, String agent, String script)
      throws Exception {
    return Shell.run(
        cluster.mount(worker), Map.of("HYPERSYNC_AGENT", agent), List.of("sh", "-c", script));
  }

  private static JsonNode known(TestCluster cluster) throws Exception {
    return cluster.leader().ask("reservations", JsonNodeFactory.instance.objectNode());
  }
}
