package io.hypersync.leader.standby;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.disk.DiskChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStoreOptions;
import io.hypersync.fixtures.Entries;
import io.hypersync.leader.daemon.LineageFile;
import io.hypersync.leader.daemon.TermFile;
import io.hypersync.leader.lineage.Term;
import io.hypersync.leader.oplog.RecoveryListener.Verdict;
import io.hypersync.leader.oplog.chronicle.ChronicleOpLog;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.op.FsOp;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.snapshot.CollectedFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The state directory of a standby: what it keeps, and how it becomes a leader's. */
final class StandbyStateTest {
  private static final WorkspaceId WORKSPACE = new WorkspaceId(1, 2);

  @TempDir Path stateDir;

  private final History leader = new History().write("one").write("two").write("three");

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

  /** Follows the leader through an entry, and stops. */
  private void follow(int through) {
    try (DiskChunkStore chunks = store();
        StandbyLog log = open(chunks)) {
      log.begins(0);
      log.welcomed(5, 3, leader.entries.size());
      chunks.putAll(leader.content.subList(0, Math.clamp(through - 1, 0, leader.content.size())));
      leader.entries.subList(0, through).forEach(log::append);
    }
  }

  private Promotion.Promoted promote() {
    return new Promotion(stateDir, WORKSPACE, Long.MAX_VALUE, 0).promote(false, false);
  }

  private List<Long> logged() throws Exception {
    List<Long> all = new ArrayList<>();
    ChronicleOpLog.read(
        stateDir.resolve("oplog"),
        (index, _) -> {
          all.add(index);
          return Verdict.KEEP;
        });
    return all;
  }

  private String refused() {
    UserError error = assertThrows(UserError.class, this::promote);
    assertTrue(StandbyFile.read(stateDir).isPresent(), "it can go on as a standby");
    assertEquals(Term.FIRST, TermFile.read(stateDir));
    return error.message();
  }

  @Test
  void whatIsSyncedIsOnTheDisk() throws Exception {
    try (DiskChunkStore chunks = store();
        StandbyLog log = open(chunks)) {
      log.begins(0);
      chunks.putAll(leader.content);
      leader.entries.forEach(log::append);
      log.collecting(4); // waits until it is
      assertEquals(4, log.syncedIndex());
      assertEquals(4, CollectedFile.read(stateDir));
    }
    assertEquals(List.of(1L, 2L, 3L, 4L), logged());
  }

  @Test
  void aRestartGoesOnWhereItWas() throws Exception {
    follow(2);
    follow(4); // what it has is sent again
    assertEquals(List.of(1L, 2L, 3L, 4L), logged());
  }

  @Test
  void anotherHistoryEndsIt() {
    follow(2);
    leader.entries.set(1, Entries.of(2, new FsOp.ReapOrphans(List.of(History.FILE))).entry());
    UserError error = assertThrows(UserError.class, () -> follow(2));
    assertTrue(error.message().startsWith("entry 2 of the leader is another one"), error.message());
  }

  @Test
  void aStateThatIsNewerThanTheLogBeginsAnotherOneBehindIt() throws Exception {
    follow(2);
    try (DiskChunkStore chunks = store();
        StandbyLog log = open(chunks)) {
      chunks.putAll(leader.content);
      log.begins(3);
      assertEquals(3, log.syncedIndex());
      log.append(leader.entries.get(3));
    }
    assertEquals(List.of(4L), logged());
    assertTrue(Files.isDirectory(stateDir.resolve("oplog.aside")));
  }

  /** What it has was durable at its leader: a leader that ends before has another history. */
  @Test
  void aLeaderWhoseLogEndsBeforeThisOneIsNotFollowed() {
    follow(4);
    StandbyFile before = StandbyFile.read(stateDir).orElseThrow();
    try (DiskChunkStore chunks = store();
        StandbyLog log = open(chunks)) {
      log.begins(0);
      UserError error = assertThrows(UserError.class, () -> log.welcomed(6, 4, 3));
      assertEquals(
          "the leader's log ends at entry 3, and that of this standby at entry 4", error.message());
      assertEquals(Optional.of(before), StandbyFile.read(stateDir));
      log.welcomed(6, 4, 4);
    }
    assertEquals(4, StandbyFile.read(stateDir).orElseThrow().term());
  }

  /** A crash came after the old log was put aside, and before another one was begun. */
  @Test
  void whatWasPutAsideStaysWhenTheLogAfterItHasNothing() throws Exception {
    follow(2);
    Files.move(stateDir.resolve("oplog"), stateDir.resolve("oplog.aside"));
    for (int begin = 3; begin <= 4; begin++) { // the second time behind a log that begins and ends
      try (DiskChunkStore chunks = store();
          StandbyLog log = open(chunks)) {
        log.begins(begin);
        assertEquals(begin + 1, log.firstIndex());
      }
    }
    List<Long> kept = new ArrayList<>();
    ChronicleOpLog.read(
        stateDir.resolve("oplog.aside"),
        (index, _) -> {
          kept.add(index);
          return Verdict.KEEP;
        });
    assertEquals(List.of(1L, 2L), kept);
  }

  @Test
  void theStateOfALeaderIsLeftAlone() throws Exception {
    Files.createDirectory(stateDir.resolve("oplog"));
    try (DiskChunkStore chunks = store()) {
      UserError error = assertThrows(UserError.class, () -> open(chunks));
      assertTrue(error.message().endsWith("has the log of a leader"), error.message());
    }
    assertFalse(StandbyFile.read(stateDir).isPresent());
  }

  @Test
  void aStandbyOfAnotherWorkspaceIsLeftAlone() {
    StandbyFile.before(new WorkspaceId(3, 4)).write(stateDir);
    try (DiskChunkStore chunks = store()) {
      assertThrows(UserError.class, () -> open(chunks));
    }
    UserError error = assertThrows(UserError.class, this::promote);
    assertTrue(error.message().contains("a standby of another workspace"), error.message());
  }

  @Test
  void oneThatIsCompleteIsPromotedToTheNextTerm() {
    follow(4);
    Promotion.Promoted looked =
        new Promotion(stateDir, WORKSPACE, Long.MAX_VALUE, 0).promote(true, false);
    assertTrue(StandbyFile.read(stateDir).isPresent(), "nobody has said so yet");
    Promotion.Promoted made = promote();
    assertEquals(looked, made);
    assertEquals(new Promotion.Promoted(4, leader.root(), 2, 4, Waited.Loss.LAST_MOMENTS), made);
    assertFalse(StandbyFile.read(stateDir).isPresent());
    assertEquals(new Term(4), TermFile.read(stateDir));
    assertEquals(5, LineageFile.read(stateDir).id());
    UserError again = assertThrows(UserError.class, this::promote);
    assertTrue(again.message().endsWith("is not the state of a standby"), again.message());
  }

  /** The leader has collected what only entries of the past had, and so has the standby. */
  @Test
  void oneThatLacksContentOfThePastIsPromoted() {
    leader.content.set(0, leader.content.get(2));
    leader.content.set(1, leader.content.get(2));
    try (DiskChunkStore chunks = store();
        StandbyLog log = open(chunks)) {
      log.begins(0);
      log.withoutChunksThrough(3);
    }
    follow(4);
    assertEquals(4, promote().index());
  }

  @Test
  void oneThatLacksContentOfAFileIsRefused() {
    leader.content.set(2, leader.content.get(1));
    try (DiskChunkStore chunks = store();
        StandbyLog log = open(chunks)) {
      log.begins(0);
      log.withoutChunksThrough(4);
    }
    follow(4);
    assertEquals(
        "this standby is not complete: 1 chunks of files have not been fetched yet", refused());
  }

  @Test
  void oneThatHasNotCaughtUpWithACollectionIsRefused() {
    try (DiskChunkStore chunks = store();
        StandbyLog log = open(chunks)) {
      log.begins(0);
      log.withoutChunksThrough(4);
    }
    follow(3);
    String message = refused();
    assertTrue(message.contains("chunks of entries up to 4 were collected"), message);
  }

  @Test
  void oneWhoseLogBeginsBehindAStateThatItDoesNotHaveIsRefused() {
    try (DiskChunkStore chunks = store();
        StandbyLog log = open(chunks)) {
      chunks.putAll(leader.content);
      log.begins(3);
      log.welcomed(5, 3, 4);
      log.append(leader.entries.get(3));
    }
    String message = refused();
    assertTrue(message.contains("no readable snapshot"), message);
  }

  @Test
  void oneThatHasFollowedNobodyIsRefused() {
    try (DiskChunkStore chunks = store();
        StandbyLog _ = open(chunks)) {
      assertTrue(StandbyFile.read(stateDir).isPresent());
    }
    assertEquals("this standby has not followed any leader yet", refused());
    try (DiskChunkStore chunks = store();
        StandbyLog log = open(chunks)) {
      log.begins(0); // and still none
      assertFalse(log.couldLead());
    }
    assertEquals("this standby has not followed any leader yet", refused());
  }

  @Test
  void oneWithoutAnEntryIsRefused() {
    try (DiskChunkStore chunks = store();
        StandbyLog log = open(chunks)) {
      log.begins(0);
      log.welcomed(0, 0, 0); // as of the first leader, whose lineage and term are 0
      assertFalse(log.couldLead());
    }
    assertEquals("this standby has no entry: there is nothing to lead", refused());
    follow(1);
    assertEquals(1, promote().index());
  }
}
