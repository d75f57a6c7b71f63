package io.hypersync.leader.daemon.mail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.Entries;
import io.hypersync.fixtures.FakeAgentMail;
import io.hypersync.fixtures.FakeAgentMail.Dialect;
import io.hypersync.fixtures.FakeAgentMail.Mail;
import io.hypersync.fixtures.FakeAgentMail.Trouble;
import io.hypersync.leader.MemoryOpLog;
import io.hypersync.leader.leadership.LeaderGate;
import io.hypersync.leader.mail.AgentMailOptions;
import io.hypersync.leader.mail.MailStatus;
import io.hypersync.model.hazard.Author;
import io.hypersync.model.hazard.Hazard;
import io.hypersync.model.hazard.HazardKind;
import io.hypersync.model.hazard.HazardReport;
import io.hypersync.model.hazard.WorkNotes;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.FsOp;
import io.hypersync.runtime.agent.Clock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Hazards of the log become mails at a real server, over restarts of both (hypersync.md 11.2). */
class MailThreadTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final WorkerId WORKER = new WorkerId("w1");

  @TempDir Path stateDir;

  private final MemoryOpLog log = new MemoryOpLog();
  private FakeAgentMail server;
  private AgentMailClient client;
  private MailThread mail;
  private long index;

  @AfterEach
  void stop() {
    stopMail();
    server.close();
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void bothAgentsGetAMail(Dialect dialect) throws Exception {
    startServer(dialect, 0);
    startMail();
    commit("Blue", "Green", "src/f");
    await(() -> server.mails().size() == 1);
    Mail mail1 = server.mails().getFirst();
    assertEquals(List.of("Blue", "Green"), mail1.to());
    assertEquals("QuietHarbor", mail1.from());
    assertEquals("hypersync-hazard-1", mail1.thread());
    assertEquals("high", mail1.importance());
    assertTrue(mail1.body().contains("src/f"), mail1.body());
    assertEquals(List.of("ensure_project", "register_agent", "send_message"), server.calls());
  }

  @Test
  void whatIsNotDurableIsNotMailed() throws Exception {
    startServer(Dialect.PYTHON, 0);
    startMail();
    mail.logged(entry("Blue", "Green", "f"));
    Thread.sleep(300);
    assertEquals(List.of(), server.calls());
    var _ = log.sync();
    await(() -> server.mails().size() == 1);
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void afterARestartNothingIsMailedTwiceAndWhatIsNewIs(Dialect dialect) throws Exception {
    startServer(dialect, 0);
    startMail();
    commit("Blue", "Green", "f");
    await(() -> server.mails().size() == 1);
    stopMail();
    commitUnseen("Blue", "Green", "g");
    startMail();
    await(() -> server.mails().size() == 2);
    commit("Blue", "Green", "h");
    await(() -> server.mails().size() == 3);
    assertEquals(
        List.of("hypersync-hazard-1", "hypersync-hazard-2", "hypersync-hazard-3"),
        server.mails().stream().map(Mail::thread).toList());
    assertEquals(1, server.registrations(), "and it is who it was");
  }

  @Test
  void theFirstRunMailsNothingOfBefore() throws Exception {
    startServer(Dialect.PYTHON, 0);
    commitUnseen("Blue", "Green", "old");
    startMail();
    commit("Blue", "Green", "new");
    await(() -> server.mails().size() == 1);
    assertTrue(server.mails().getFirst().body().contains("new"));
  }

  @Test
  void whatItRemembersIsForItsUserOnly() throws Exception {
    startServer(Dialect.PYTHON, 0);
    startMail();
    commit("Blue", "Green", "f");
    await(() -> server.mails().size() == 1);
    for (String file : List.of("mail/cursor.json", "mail/identities.json")) {
      assertEquals(
          "rw-------",
          PosixFilePermissions.toString(Files.getPosixFilePermissions(stateDir.resolve(file))));
    }
    assertEquals(
        "rwx------",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(stateDir.resolve("mail"))));
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void whoWantsToBeAskedFirstIsNotToldAndTheOtherIs(Dialect dialect) throws Exception {
    startServer(dialect, 0);
    server.requireContact("Green");
    startMail();
    commit("Blue", "Green", "f");
    await(() -> status().blocked() == 1);
    assertEquals(List.of("Blue"), server.mails().getFirst().to());
    assertEquals(1, server.mails().size());
    MailStatus.Muted muted = status().muted().getFirst();
    assertEquals("Green", muted.agent());
    assertTrue(muted.why().startsWith("CONTACT_REQUIRED"), muted.why());
    assertTrue(muted.forNs() > Duration.ofMinutes(9).toNanos());
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void anAgentThatTheServerDoesNotKnowIsNotTold(Dialect dialect) throws Exception {
    startServer(dialect, 0);
    startMail();
    commit("Blue", "Stranger", "f");
    await(() -> status().blocked() == 1);
    assertEquals(List.of("Blue"), server.mails().getFirst().to());
  }

  @Test
  void aServerThatComesBackGetsWhatHasWaited() throws Exception {
    startServer(Dialect.PYTHON, 0);
    int port = server.port();
    server.close();
    startMail();
    commit("Blue", "Green", "f");
    await(() -> !status().lastError().isEmpty());
    startServer(Dialect.PYTHON, port);
    await(() -> server.mails().size() == 1);
    await(() -> status().lastError().isEmpty());
  }

  @Test
  void aServerThatHangsHoldsNobodyUp() throws Exception {
    startServer(Dialect.PYTHON, 0);
    server.trouble(Trouble.HANG);
    startMail();
    long beganNs = System.nanoTime();
    for (int i = 0; i < 5_000; i++) {
      commit("Blue", "Green", "f" + i);
    }
    long ms = Duration.ofNanos(System.nanoTime() - beganNs).toMillis();
    assertTrue(ms < 4_000, () -> "5,000 entries took " + ms + " ms");
    await(() -> !status().lastError().isEmpty());
    await(() -> status().dropped() >= 3_000);
    assertTrue(status().pending() <= 1_000);
    beganNs = System.nanoTime();
    stopMail();
    long stopMs = Duration.ofNanos(System.nanoTime() - beganNs).toMillis();
    assertTrue(stopMs < 3_000, () -> "its end took " + stopMs + " ms");
  }

  private void startServer(Dialect dialect, int port) throws IOException {
    server = port == 0 ? FakeAgentMail.start(dialect) : FakeAgentMail.start(dialect, port);
    var _ = server.agent("/ws", "Blue").agent("/ws", "Green");
  }

  private void startMail() {
    AgentMailOptions options =
        new AgentMailOptions(server.url(), "", true, List.of("/ws"), List.of("/ws"));
    client = new AgentMailClient(options);
    mail =
        new MailThread(
            options, log, log.durableIndex(), client, stateDir, Clock.SYSTEM, LeaderGate.ALONE);
    mail.start();
  }

  private void stopMail() {
    if (mail != null) {
      mail.close();
      client.close();
      mail = null;
    }
  }

  private MailStatus status() {
    MailStatus status = mail.status();
    return status == null
        ? new MailStatus(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "", -1, List.of(), List.of())
        : status;
  }

  private void commit(String agent, String other, String path) throws Exception {
    LogEntry entry = entry(agent, other, path);
    var _ = log.sync();
    mail.logged(entry);
  }

  private void commitUnseen(String agent, String other, String path) throws Exception {
    assertNotNull(entry(agent, other, path));
    var _ = log.sync();
  }

  private LogEntry entry(String agent, String other, String path) throws Exception {
    index++;
    Hazard hazard =
        new Hazard.Overlap(
            HazardKind.OVERLAPPING_WRITE,
            1,
            new Author(other, new WorkerId("w2")),
            new NodeId(0, 1),
            path.getBytes(StandardCharsets.UTF_8));
    LogEntry entry =
        Entries.of(index, new FsOp.ReapOrphans(List.of(new NodeId(0, 1))))
            .agent(agent)
            .origin(WORKER)
            .hazard(new HazardReport(List.of(hazard), WorkNotes.NONE).encode())
            .entry();
    log.append(index, LogEntryCodec.encode(entry), false);
    return entry;
  }

  private static void await(BooleanSupplier what) throws InterruptedException {
    long endNs = System.nanoTime() + LIMIT.toNanos();
    while (!what.getAsBoolean()) {
      assertTrue(System.nanoTime() < endNs, "it did not come about");
      Thread.sleep(5);
    }
  }
}
