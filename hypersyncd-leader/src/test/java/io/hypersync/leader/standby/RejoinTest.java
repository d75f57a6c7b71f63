package io.hypersync.leader.standby;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.disk.DiskChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStoreOptions;
import io.hypersync.leader.daemon.DeposedFile;
import io.hypersync.leader.daemon.TermFile;
import io.hypersync.leader.lineage.Deposition;
import io.hypersync.leader.lineage.Term;
import io.hypersync.leader.oplog.CommittedBatch;
import io.hypersync.leader.oplog.OpLogFailedException;
import io.hypersync.leader.oplog.OpLogListener;
import io.hypersync.leader.oplog.OpLogOptions;
import io.hypersync.leader.oplog.RecoveryListener.Verdict;
import io.hypersync.leader.oplog.chronicle.ChronicleOpLog;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.runtime.admin.UserError;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The state directory of a leader that was deposed becomes that of a standby. */
final class RejoinTest {
  private static final WorkspaceId WORKSPACE = new WorkspaceId(1, 2);
  private static final Deposition BY_TERM_4 = new Deposition(0, 4, new WorkerId("fmd"));

  @TempDir Path stateDir;

  private final History before = new History();

  private DiskChunkStore store() {
    return DiskChunkStore.open(stateDir.resolve("chunks"), DiskChunkStoreOptions.DEFAULT);
  }

  private StandbyLog open(DiskChunkStore chunks) {
    return StandbyLog.open(
        stateDir,
        WORKSPACE,
        chunks,
        error -> {
          throw error;
        });
  }

  /** A leader of term 2 has committed this here, and then learnt of one of term 4. */
  private void wasLed(History history) throws Exception {
    try (DiskChunkStore chunks = store();
        ChronicleOpLog log =
            ChronicleOpLog.open(
                stateDir.resolve("oplog"),
                OpLogOptions.DEFAULT,
                chunks::sync,
                (_, _) -> Verdict.KEEP,
                new OpLogListener() {
                  @Override
                  public void onDurable(CommittedBatch batch) {}

                  @Override
                  public void onFailure(OpLogFailedException failure) {
                    throw failure;
                  }
                })) {
      chunks.putAll(history.content);
      for (LogEntry entry : history.entries) {
        log.append(entry.index(), LogEntryCodec.encode(entry), true);
      }
    }
    Files.createDirectory(stateDir.resolve("intents"));
    TermFile.takeOver(stateDir, new Term(2));
    DeposedFile.write(stateDir, BY_TERM_4);
  }

  /** Follows a leader of term 4 from the beginning, until nothing is left to be compared. */
  private void follow(History leader) throws Exception {
    try (DiskChunkStore chunks = store();
        StandbyLog log = open(chunks)) {
      log.begins(0);
      log.welcomed(0, 4, leader.entries.size());
      chunks.putAll(leader.content);
      leader.entries.forEach(log::append);
      log.standing(null);
      for (int i = 0; log.isRejoining() && i < 1_000; i++) {
        TimeUnit.MILLISECONDS.sleep(10);
      }
      assertFalse(log.isRejoining(), "it is compared in time");
    }
  }

  private List<String> leftBehind() throws Exception {
    return LeftBehind.folders(stateDir).stream()
        .map(folder -> String.valueOf(folder.getFileName()))
        .toList();
  }

  @Test
  void whatOnlyTheDeposedLeaderHasIsKeptAndNamed() throws Exception {
    before.write("one").write("two");
    History old = new History(before).write("only here").write("and this");
    wasLed(old);
    follow(new History(before).write("of the new leader"));
    assertEquals(List.of("term-2-entries-4-5"), leftBehind());
    Path folder = LeftBehind.folders(stateDir).getFirst();
    List<String> lines = Files.readAllLines(folder.resolve("entries.jsonl"));
    assertEquals(2, lines.size());
    assertTrue(lines.getFirst().contains("\"log_index\":4"), lines::toString);
    for (int entry = 3; entry <= 4; entry++) {
      Chunk chunk = old.content.get(entry - 1);
      assertTrue(lines.get(entry - 3).contains(chunk.hash().toString()), lines::toString);
      assertEquals(
          new String(chunk.bytes(), StandardCharsets.US_ASCII),
          Files.readString(folder.resolve("chunks").resolve(chunk.hash().toString())));
    }
    assertTrue(Files.notExists(stateDir.resolve("oplog.deposed")));
    assertTrue(Files.notExists(stateDir.resolve("intents")), "a promotion makes them anew");
  }

  @Test
  void aLeaderThatHadNothingMoreLeavesNothingBehind() throws Exception {
    before.write("one");
    wasLed(before);
    follow(new History(before).write("of the new leader"));
    assertEquals(List.of(), leftBehind());
    assertEquals(Optional.empty(), DeposedFile.read(stateDir));
  }

  /** Its successor has none of its own yet, so nothing differs: its log ends before. */
  @Test
  void theEndOfALongerLogIsKeptToo() throws Exception {
    before.write("one");
    wasLed(new History(before).write("only here"));
    follow(before);
    assertEquals(List.of("term-2-entries-3-3"), leftBehind());
  }

  @Test
  void itIsPromotedToATermAboveAllThatItHasKnown() throws Exception {
    before.write("one");
    wasLed(before);
    follow(before);
    Promotion.Promoted made =
        new Promotion(stateDir, WORKSPACE, Long.MAX_VALUE, 0).promote(false, false);
    assertEquals(5, made.term());
    assertEquals(2, made.index());
    DeposedFile.refuse(stateDir, Optional.empty());
  }

  @Test
  void itMayLackSomethingUntilALeaderSaysHowItStands() throws Exception {
    wasLed(before);
    try (DiskChunkStore chunks = store();
        StandbyLog log = open(chunks)) {
      log.begins(0);
      log.welcomed(0, 4, before.entries.size());
      assertTrue(log.waited().loss().needsConsent());
      log.standing(null);
      assertFalse(log.waited().loss().needsConsent(), "that leader waits for nobody");
    }
  }

  /** A crash has come between the end of the comparison and the removal of what was compared. */
  @Test
  void itsOwnLogIsNotTakenForTheOldOneAfterwards() throws Exception {
    before.write("one");
    wasLed(before);
    follow(before);
    DeposedFile.write(stateDir, BY_TERM_4);
    try (DiskChunkStore chunks = store();
        StandbyLog log = open(chunks)) {
      assertFalse(Files.exists(stateDir.resolve("oplog.deposed")));
      log.begins(2);
      assertEquals(2, log.syncedIndex());
      assertTrue(log.couldLead());
    }
  }

  @Test
  void itCouldNotLeadBeforeItHasWhatItsLeaderHadWhenItCameBack() throws Exception {
    before.write("one");
    wasLed(before);
    follow(before);
    try (DiskChunkStore chunks = store();
        StandbyLog log = open(chunks)) {
      log.begins(2);
      assertTrue(log.couldLead(), "nobody has said that there is more");
      log.welcomed(0, 4, 3);
      assertFalse(log.couldLead());
    }
  }

  @Test
  void aPromotionForgetsThatItsLeaderWasDeposed() throws Exception {
    before.write("one");
    wasLed(before);
    follow(before);
    DeposedFile.write(stateDir, BY_TERM_4); // it was promoted before the comparison had ended
    var _ = new Promotion(stateDir, WORKSPACE, Long.MAX_VALUE, 0).promote(false, false);
    assertEquals(Optional.empty(), DeposedFile.read(stateDir));
  }

  @Test
  void whatItHasSeenAsALeaderItDoesNotHoldAgainstTheOther() throws Exception {
    wasLed(before);
    Path seen = Files.writeString(stateDir.resolve("seen"), "of its time as a leader");
    follow(before);
    assertFalse(Files.exists(seen));
  }

  /** Who was waited for then is not waited for by the next leader of this state. */
  @Test
  void whichStandbysItHasWaitedForIsForgotten() throws Exception {
    before.write("one");
    wasLed(before);
    Path record = Files.writeString(stateDir.resolve("synchronous"), "of its time as a leader");
    follow(before);
    assertFalse(Files.exists(record));
  }

  @Test
  void theRevisionOfALockThatIsHigherBecomesTheTerm() throws Exception {
    before.write("one");
    wasLed(before);
    follow(before);
    assertEquals(
        1_700,
        new Promotion(stateDir, WORKSPACE, Long.MAX_VALUE, 1_700).promote(true, false).term());
    assertEquals(
        5, new Promotion(stateDir, WORKSPACE, Long.MAX_VALUE, 3).promote(true, false).term());
    assertThrows(
        UserError.class,
        () ->
            new Promotion(stateDir, WORKSPACE, Long.MAX_VALUE, Term.MAX + 1).promote(true, false));
  }

  /** Its state is given up, and nobody has given it another one. */
  @Test
  void oneThatHasNotFollowedTheOtherLeaderIsNotLed() throws Exception {
    before.write("one");
    wasLed(before);
    try (DiskChunkStore chunks = store();
        StandbyLog log = open(chunks)) {
      log.begins(0);
      assertFalse(log.couldLead());
    }
    UserError refused =
        assertThrows(
            UserError.class,
            () -> new Promotion(stateDir, WORKSPACE, Long.MAX_VALUE, 0).promote(false, false));
    assertEquals("this standby has not followed any leader yet", refused.message());
    assertThrows(UserError.class, () -> StandbyFile.refuse(stateDir), "nor as it was");
  }

  @Test
  void noLeaderOfALowerTermIsFollowedThanTheOneThatHasDeposedIt() throws Exception {
    wasLed(before);
    try (DiskChunkStore chunks = store();
        StandbyLog log = open(chunks)) {
      assertEquals(4, log.knownTerm(0));
      assertEquals(0, log.knownTerm(8), "terms are of one lineage");
    }
  }

  /** A collection could take what only the old log mentions. */
  @Test
  void nothingIsCollectedBeforeTheTwoAreCompared() throws Exception {
    wasLed(before.write("one"));
    try (DiskChunkStore chunks = store();
        StandbyLog log = open(chunks)) {
      log.begins(0);
      assertThrows(ChunkStoreException.class, () -> log.collecting(0));
    }
  }

  /**
   * It was ended after each step: the standby is marked, the old log put aside, a new one begun.
   */
  @Test
  void itGoesOnAfterACrash() throws Exception {
    before.write("one");
    wasLed(new History(before).write("only here"));
    new StandbyFile(WORKSPACE, 0, 4, false, Waited.UNKNOWN)
        .write(stateDir); // the old log is still in its place
    for (int start = 0; start < 3; start++) {
      try (DiskChunkStore chunks = store();
          StandbyLog log = open(chunks)) {
        assertTrue(Files.exists(stateDir.resolve("oplog.deposed")));
        if (start > 0) {
          log.begins(0);
          log.welcomed(0, 4, 3);
          chunks.putAll(before.content);
          before.entries.forEach(log::append); // one is missing yet, so nothing is compared
        }
      }
    }
    follow(new History(before).write("of the new leader"));
    assertEquals(List.of("term-2-entries-3-3"), leftBehind());
    follow(new History(before).write("of the new leader"));
    assertEquals(List.of("term-2-entries-3-3"), leftBehind(), "that was all");
  }

  /** The state came from a snapshot of the new leader, so the common entry is not known. */
  @Test
  void aLogThatCannotBeComparedIsKeptWhole() throws Exception {
    before.write("one");
    wasLed(new History(before).write("only here"));
    try (DiskChunkStore chunks = store();
        StandbyLog log = open(chunks)) {
      log.begins(0);
      chunks.putAll(before.content);
      log.begins(9); // as of an install
      log.welcomed(0, 4, 9);
      for (int i = 0; log.isRejoining() && i < 1_000; i++) {
        TimeUnit.MILLISECONDS.sleep(10);
      }
      assertFalse(log.isRejoining());
    }
    assertEquals(List.of("log-1"), leftBehind());
    List<Long> kept = new ArrayList<>();
    ChronicleOpLog.read(
        LeftBehind.folders(stateDir).getFirst(),
        (index, _) -> {
          kept.add(index);
          return Verdict.KEEP;
        });
    assertEquals(List.of(1L, 2L, 3L), kept);
  }

  @Test
  void theStateOfALeaderThatNobodyHasDeposedIsLeftAlone() throws Exception {
    wasLed(before);
    TermFile.takeOver(stateDir, new Term(4)); // it leads in that term itself
    try (DiskChunkStore chunks = store()) {
      UserError error = assertThrows(UserError.class, () -> open(chunks));
      assertTrue(error.message().endsWith("has the log of a leader"), error.message());
    }
  }
}
