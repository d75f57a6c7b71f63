package io.hypersync.leader.mail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.hazard.Hazard;
import io.hypersync.model.hazard.HazardKind;
import io.hypersync.model.hazard.Holder;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.text.Printable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which hazards are mailed to whom, how often, and never twice (hypersync.md 11.2). */
final class OutboxTest {
  private static final long S = 1_000_000_000L;
  private static final List<String> MOUNTS = List.of("/ws");

  private final MailProjects projects = new MailProjects(List.of("/ws"), MOUNTS);
  private Outbox outbox = new Outbox(projects, MailCursor.at(0));
  private long nowNs = 1_000 * S;

  @Test
  void bothAgentsAreToldAtOnce() {
    overlap(7, "Blue", "Green", "src/f");
    Letter letter = send();
    assertEquals(List.of("Blue", "Green"), letter.to());
    assertEquals("[hypersync] overlapping_write: src/f", letter.subject());
    assertEquals("hypersync-hazard-7", letter.thread());
    assertEquals("/ws", letter.project());
    for (String part : List.of("`Blue` on worker `w1`: log entry 7", "`Green` on worker `w2`")) {
      assertTrue(letter.body().contains(part), letter.body());
    }
    assertNull(outbox.next(nowNs));
  }

  @Test
  void theHolderOfAReservationIsToldWithItsPattern() {
    outbox.logged(Logged.intoReservation(7, "Blue", "Green", "src/f"), nowNs);
    Letter letter = send();
    assertEquals(List.of("Blue", "Green"), letter.to());
    assertTrue(letter.body().contains("`Green` holds alone: `src/**`"), letter.body());
  }

  @Test
  void onlyTheAgentWithANameIsTold() {
    overlap(1, "", "Green", "a");
    assertEquals(List.of("Green"), send().to());
    overlap(2, "Blue", "", "b");
    assertEquals(List.of("Blue"), send().to());
    overlap(3, "", "", "c");
    assertNull(outbox.next(nowNs));
    assertEquals(1, outbox.counts.nobody);
  }

  @Test
  void aNameThatAgentMailCannotKnowIsNobody() {
    overlap(1, "Blue Lake", "../x", "a");
    overlap(2, "-x", "x".repeat(200), "b");
    assertNull(outbox.next(nowNs));
    assertEquals(2, outbox.counts.nobody);
  }

  @Test
  void whatFollowsWithinAMinuteIsOneMoreMailInTheSameThread() {
    overlap(7, "Blue", "Green", "f");
    var _ = send();
    for (int i = 8; i < 30; i++) {
      overlap(i, i % 2 == 0 ? "Green" : "Blue", i % 2 == 0 ? "Blue" : "Green", "f");
    }
    nowNs += 59 * S;
    assertNull(outbox.next(nowNs), "not before a minute is over");
    nowNs += S;
    Letter letter = send();
    assertEquals("hypersync-hazard-7", letter.thread());
    assertTrue(letter.body().contains("21 more of these two since, up to entry 29"), letter.body());
    assertEquals(21, outbox.counts.coalesced);
    assertNull(outbox.next(nowNs));
    nowNs += 61 * S;
    overlap(40, "Blue", "Green", "f");
    assertEquals("hypersync-hazard-7", send().thread(), "at once, and in the thread of these two");
  }

  @Test
  void otherPathsAndOtherPairsAreOtherMails() {
    overlap(1, "Blue", "Green", "f");
    overlap(2, "Blue", "Green", "g");
    overlap(3, "Blue", "Red", "f");
    assertEquals(3, sendAll().size());
    assertEquals(0, outbox.counts.coalesced);
  }

  @Test
  void aMinuteHasTwentyMailsAndTheRestIsADigestForEach() {
    for (int i = 1; i <= 60; i++) {
      overlap(i, "Blue", "Green", "f" + i);
    }
    List<Letter> first = sendAll();
    assertEquals(2, first.size(), "one for each of the two");
    assertTrue(first.stream().allMatch(Letter::isDigest));
    assertEquals(List.of("Blue"), first.get(0).to());
    assertEquals(List.of("Green"), first.get(1).to());
    assertTrue(first.get(0).body().contains("- and 10 more"), first.get(0).body());
    assertEquals(2, outbox.counts.digests);
    assertEquals(60, outbox.cursor().through());
  }

  @Test
  void oneByOneTheyAreLimitedToo() {
    int sent = 0;
    for (int i = 1; i <= 50; i++) {
      overlap(i, "Blue", "Green", "f" + i);
      sent += sendAll().size();
    }
    assertEquals(Outbox.MOST_MAILS, sent);
    nowNs += 61 * S;
    List<Letter> later = sendAll();
    assertEquals(2, later.size(), "what is left is one digest for each");
    assertTrue(later.getFirst().subject().contains("30 paths"), later.getFirst().subject());
  }

  @Test
  void whoTheServerRefusesIsLeftAloneForTenMinutesAndTheOtherIsTold() {
    overlap(1, "Blue", "Green", "f");
    refuse("CONTACT_REQUIRED: Green wants to be asked");
    assertEquals(List.of("Blue"), send().to());
    Letter toGreen = next();
    assertEquals(List.of("Green"), toGreen.to());
    outbox.leaves(toGreen);
    outbox.refused(toGreen, "CONTACT_REQUIRED: Green wants to be asked", nowNs);
    assertNull(outbox.next(nowNs));
    assertEquals(1, outbox.counts.blocked);
    assertEquals("Green", outbox.muted(nowNs).getFirst().agent());

    overlap(2, "Blue", "gREEN", "g");
    assertEquals(List.of("Blue"), send().to(), "in either case of letters");
    overlap(3, "", "Green", "h");
    assertNull(outbox.next(nowNs));
    assertEquals(3, outbox.counts.blocked);

    nowNs += Mutes.MUTED_NS;
    overlap(4, "Blue", "Green", "i");
    assertEquals(List.of("Blue", "Green"), send().to());
    assertEquals(List.of(), outbox.muted(nowNs));
  }

  @Test
  void aProjectThatTheServerDoesNotWantIsLeftAloneToo() {
    overlap(1, "Blue", "Green", "f");
    outbox.projectRefused("/ws", "no", nowNs);
    assertNull(outbox.next(nowNs));
    overlap(2, "Blue", "Green", "g");
    assertNull(outbox.next(nowNs));
    assertEquals(4, outbox.counts.blocked);
    assertEquals(0, outbox.pending());
  }

  @Test
  void aLetterThatWasNotSentIsStillThere() {
    overlap(1, "Blue", "Green", "f");
    Letter letter = next();
    outbox.leaves(letter);
    outbox.returned();
    assertEquals(letter, next());
  }

  @Test
  void nobodyKnowsWhetherItHasArrivedSoItIsNotSentAgain() {
    overlap(1, "Blue", "Green", "f");
    Letter letter = next();
    outbox.leaves(letter);
    outbox.arrived(letter, false, nowNs);
    assertNull(outbox.next(nowNs));
    assertEquals(1, outbox.counts.uncertain);
    assertEquals(0, outbox.counts.mails);
  }

  @Test
  void whatDoesNotFitIsCounted() {
    for (int i = 1; i <= Outbox.MOST_PENDING + 5; i++) {
      overlap(i, "Blue", "Green", "f" + i);
    }
    assertEquals(5, outbox.counts.dropped);
    assertEquals(Outbox.MOST_PENDING, outbox.pending());
  }

  @Test
  void whatIsAnHourOldIsNoNews() {
    overlap(1, "Blue", "Green", "f");
    nowNs += Outbox.NEWS_NS;
    assertNull(outbox.next(nowNs));
    assertEquals(1, outbox.counts.dropped);
    assertEquals(1, outbox.cursor().through());
  }

  @Test
  void hazardsOutsideOfTheProjects() {
    outbox = new Outbox(new MailProjects(List.of("/ws/pay"), MOUNTS), MailCursor.at(0));
    overlap(1, "Blue", "Green", "web/f");
    assertNull(outbox.next(nowNs));
    assertEquals(1, outbox.counts.elsewhere);
  }

  /** Whatever was mailed before a restart, the log is read again from the cursor on. */
  @Test
  void nothingIsMailedTwiceAfterARestart() {
    List<LoggedHazards> log = new ArrayList<>();
    for (int i = 1; i <= 12; i++) {
      log.add(Logged.overlap(i, "Blue", "Green", "f" + i % 4));
    }
    for (int crash = 0; crash <= 12; crash++) {
      outbox = new Outbox(projects, MailCursor.at(0));
      List<String> mailed = new ArrayList<>();
      MailCursor written = outbox.cursor();
      int steps = 0;
      for (LoggedHazards entry : log) {
        outbox.logged(entry, nowNs);
        Letter letter = outbox.next(nowNs);
        if (letter != null && steps < crash) {
          outbox.leaves(letter);
          written = rewritten(outbox.cursor());
          mailed.add(letter.body());
          steps++;
          if (steps < crash) { // else the crash comes before the answer
            outbox.arrived(letter, true, nowNs);
          }
        }
      }
      outbox = new Outbox(projects, written);
      log.forEach(entry -> outbox.logged(entry, nowNs));
      nowNs += 120 * S;
      sendAll().forEach(letter -> mailed.add(letter.body()));
      List<String> firsts = mailed.stream().map(OutboxTest::firstEntry).toList();
      assertEquals(
          firsts.size(), firsts.stream().distinct().count(), () -> "told twice: " + mailed);
    }
  }

  private static MailCursor rewritten(MailCursor cursor) {
    MailCursor read = MailCursor.decode(cursor.encode());
    assertEquals(cursor, read);
    assertNotNull(read);
    return read;
  }

  private static String firstEntry(String body) {
    return body.replaceAll("(?s).*?(log entry \\d+).*", "$1");
  }

  @Test
  void halfATellingIsNoReasonToTellTheOtherHalfTwice() {
    overlap(1, "Blue", "Green", "f");
    refuse("no");
    assertEquals(List.of("Blue"), send().to());
    Outbox after = new Outbox(projects, rewritten(outbox.cursor()));
    after.logged(Logged.overlap(1, "Blue", "Green", "f"), nowNs);
    assertNull(after.next(nowNs), "a crash came before Green was told");
  }

  @Test
  void aCursorThatMakesNoSense() {
    for (String text : List.of("", "{", "{}", "[1]", "{\"version\":2,\"through\":1}", "null")) {
      assertNull(MailCursor.decode(text), text);
    }
    assertNull(MailCursor.decode("{\"version\":1,\"through\":1,\"mailed\":{\"xyz\":1}}"));
    assertNull(MailCursor.decode("{\"version\":1,\"through\":-1}"));
  }

  /** Names of files and patterns are other people's texts. */
  @Test
  void aHostilePathIsOneLineOfCode() {
    String path = "`](http://x) **\u001b[2J\n# Order: " + "long ".repeat(500);
    outbox.logged(
        Logged.of(
            1,
            "Blue",
            new Hazard.Reserved(
                HazardKind.WRITE_INTO_RESERVATION,
                new Holder("Gr`een\n", "`rm -rf`\n" + "p".repeat(400), true),
                new NodeId(0, 1),
                path.getBytes(StandardCharsets.UTF_8))),
        nowNs);
    Letter letter = send();
    assertEquals(List.of("Blue"), letter.to());
    assertTrue(letter.subject().length() <= LetterText.MOST_SUBJECT);
    assertTrue(Printable.isPlain(letter.subject()), letter.subject());
    assertTrue(letter.body().lines().allMatch(Printable::isPlain), letter.body());
    assertEquals(0, letter.body().chars().filter(c -> c == '`').count() % 2);
    assertFalse(letter.body().lines().anyMatch(line -> line.startsWith("#")), letter.body());
    assertTrue(letter.body().length() < 2_000, letter.body());
  }

  private void overlap(long index, String agent, String other, String path) {
    outbox.logged(Logged.overlap(index, agent, other, path), nowNs);
  }

  private Letter next() {
    Letter letter = outbox.next(nowNs);
    assertNotNull(letter);
    return letter;
  }

  private Letter send() {
    Letter letter = next();
    outbox.leaves(letter);
    outbox.arrived(letter, true, nowNs);
    return letter;
  }

  private void refuse(String why) {
    Letter letter = next();
    outbox.leaves(letter);
    outbox.refused(letter, why, nowNs);
  }

  private List<Letter> sendAll() {
    List<Letter> sent = new ArrayList<>();
    for (Letter letter = outbox.next(nowNs); letter != null; letter = outbox.next(nowNs)) {
      outbox.leaves(letter);
      outbox.arrived(letter, true, nowNs);
      sent.add(letter);
    }
    return sent;
  }
}
