package io.hypersync.leader.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.ManualClock;
import io.hypersync.leader.MemoryOpLog;
import io.hypersync.leader.StubTurns;
import io.hypersync.leader.recovery.LeaderState;
import io.hypersync.leader.sequencer.IntentIndex;
import io.hypersync.leader.sequencer.IntentRetention;
import io.hypersync.leader.sequencer.Sequencer;
import io.hypersync.model.hazard.Author;
import io.hypersync.model.hazard.CallContext;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.schedule.SnapshotManager;
import io.hypersync.snapshot.schedule.SnapshotManager.Answer;
import io.hypersync.snapshot.schedule.SnapshotPolicy;
import io.hypersync.snapshot.schedule.SnapshotPort;
import io.hypersync.snapshot.schedule.SnapshotSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** When a leader takes snapshots, and which ones it keeps (hypersync.md 13.1, 14.1). */
class SnapshotManagerTest {
  private static final String HELD =
      "a worker installs it, a path is restored from it, or a scrub or a backup reads it; try"
          + " again later (./hypersync scrub and ./hypersync backup --status say whether one runs)";

  private static final WorkspaceId WORKSPACE = new WorkspaceId(1, 2);
  private static final long INTERVAL_NS = 1_000;

  private final List<String> asked = new ArrayList<>();
  private final List<Long> measured = new ArrayList<>();
  private final List<String> told = new ArrayList<>();
  private final MemoryOpLog log = new MemoryOpLog();
  private final ManualClock clock = new ManualClock();
  private long entropy;
  private final Sequencer sequencer =
      new Sequencer(
          new LeaderState(
              FsState.genesis(),
              FsState.genesis().root(),
              0,
              0,
              IntentIndex.inMemory(IntentRetention.DEFAULT)),
          log,
          clock,
          () -> ++entropy,
          Long.MAX_VALUE);
  private SnapshotManager snapshots = manager(2, 0);

  @Test
  void nothingIsTakenBeforeTheIntervalIsOver() {
    entry();
    log.sync();
    assertFalse(tick(INTERVAL_NS - 1));
    assertTrue(tick(INTERVAL_NS));
    assertTrue(tick(INTERVAL_NS));
    assertEquals(List.of("take 1 after 0"), asked);
  }

  @Test
  void nothingIsTakenWhenNothingHasChanged() {
    entry();
    log.sync();
    takenAt(INTERVAL_NS);
    for (int i = 2; i < 10; i++) {
      assertFalse(tick(i * INTERVAL_NS));
    }
  }

  /** A state that is not durable must never be what a leader starts from. */
  @Test
  void aSnapshotWaitsUntilItsLastEntryIsDurable() {
    entry();
    log.sync();
    entry();
    assertTrue(tick(INTERVAL_NS));
    assertFalse(tick(INTERVAL_NS + 1));
    entry();
    assertEquals(List.of(), asked);
    log.sync();
    assertTrue(tick(INTERVAL_NS + 2));
    assertEquals(List.of("take 2 after 0"), asked);
  }

  @Test
  void oneThingAtATimeIsUnderWay() {
    entry();
    log.sync();
    snapshots.take("a", this::tell);
    assertTrue(tick(0));
    assertTrue(tick(0));
    snapshots.pin(1, true, this::tell);
    assertFalse(tick(2 * INTERVAL_NS));
    done(1, "a");
    assertEquals(List.of("done 1 a"), told);
    assertTrue(tick(2 * INTERVAL_NS));
    assertEquals(List.of("take 1 after 0 a", "change 1 a pinned"), asked);
  }

  /** The wait for the disk before it is handed over is no part of it. */
  @Test
  void itIsKnownHowLongTheLastOneTook() {
    assertNull(snapshots.lastTookNs());
    entry();
    assertTrue(tick(INTERVAL_NS));
    log.sync();
    assertTrue(tick(INTERVAL_NS + 100));
    done(1, "", INTERVAL_NS + 107);
    assertEquals(7, snapshots.lastTookNs());
    snapshots.pin(1, true, this::tell);
    assertTrue(tick(INTERVAL_NS + 200));
    done(1, "", INTERVAL_NS + 300);
    assertEquals(7, snapshots.lastTookNs(), "a pin is no snapshot");
  }

  @Test
  void theOldestGoWhenThereAreTooManyButNotThoseWithANameOrAPin() {
    for (int i = 1; i <= 5; i++) {
      entry();
      log.sync();
      if (i == 1) {
        snapshots.take("named", this::tell);
        tick(0);
        tick(0);
        done(1, "named");
      } else {
        takenAt(i * INTERVAL_NS);
      }
      while (tick(0)) {
        long removed = Long.parseLong(asked.getLast().replace("remove ", ""));
        snapshots.removed(removed);
      }
    }
    assertEquals(List.of(1L, 4L, 5L), snapshots.all().stream().map(Snapshot::index).toList());
  }

  @Test
  void oneThatAWorkerInstallsStaysUntilItIsReleased() {
    assertEquals(Long.MAX_VALUE, snapshots.lowestHeld(0));
    for (int i = 1; i <= 4; i++) {
      entry();
      log.sync();
      takenAt(i * INTERVAL_NS);
      if (i == 1) {
        snapshots.hold(1);
        snapshots.hold(1);
      }
      while (tick(0)) {
        snapshots.removed(Long.parseLong(asked.getLast().replace("remove ", "")));
      }
    }
    assertEquals(List.of(1L, 3L, 4L), snapshots.all().stream().map(Snapshot::index).toList());
    assertEquals(1, snapshots.lowestHeld(0));
    assertEquals(3, snapshots.previousIndex());
    snapshots.remove(1, this::tell);
    assertTrue(tick(0));
    assertEquals(List.of("failed: " + HELD), told);

    snapshots.release(1);
    assertFalse(tick(0), "another one reads it");
    snapshots.release(1);
    snapshots.remove(1, this::tell);
    assertTrue(tick(0));
    assertEquals("remove 1", asked.getLast());
    assertEquals(Long.MAX_VALUE, snapshots.lowestHeld(0));
  }

  @Test
  void theOneTheLeaderStartedFromStaysUntilThereIsANewerOne() {
    snapshots =
        new SnapshotManager(
            port(),
            new SnapshotPolicy(INTERVAL_NS, 1),
            WORKSPACE,
            // 7 cannot be read
            List.of(snapshot(2, ""), snapshot(3, ""), snapshot(5, ""), snapshot(7, "")),
            5,
            0);
    assertTrue(tick(0));
    snapshots.removed(2);
    assertFalse(tick(0));
    snapshots.remove(3, this::tell); // if 5 cannot be read next time; the log begins behind 3
    assertTrue(tick(0));
    snapshots.remove(5, this::tell);
    assertTrue(tick(0));
    snapshots.remove(7, this::tell);
    assertTrue(tick(0));
    String needed = "failed: the next start needs it; take another snapshot first";
    assertEquals(List.of(needed, needed, needed), told);
    assertEquals(List.of("remove 2"), asked);
  }

  /** 7 cannot be read: what is behind 5 has been replayed, and is in no snapshot that can be. */
  @Test
  void theNextSnapshotGoesOnFromTheOneThatCouldBeRead() {
    for (int i = 0; i < 7; i++) {
      entry();
    }
    log.sync();
    snapshots =
        new SnapshotManager(
            port(),
            new SnapshotPolicy(INTERVAL_NS, 9),
            WORKSPACE,
            List.of(snapshot(5, ""), snapshot(7, "")),
            5,
            0);
    assertTrue(tick(INTERVAL_NS));
    assertTrue(tick(INTERVAL_NS));
    assertEquals("take 7 after 5", asked.getLast());
    done(7, "");
    assertEquals(7, snapshots.baseIndex());
  }

  /** When a restore is planned, it needs the chunks of the snapshot, and no log. */
  @Test
  void aSnapshotHoldsTheLogOnlyUntilItIsPlanned() {
    entry();
    log.sync();
    takenAt(INTERVAL_NS);
    SnapshotHold hold = new SnapshotHold(1);
    assertTrue(hold.begin(snapshots));
    assertEquals(1, snapshots.lowestHeld(0));
    hold.releaseLog(snapshots);
    assertEquals(Long.MAX_VALUE, snapshots.lowestHeld(0));
    for (int i = 2; i <= 4; i++) {
      entry();
      log.sync();
      takenAt(i * INTERVAL_NS);
      while (tick(0)) {
        snapshots.removed(Long.parseLong(asked.getLast().replace("remove ", "")));
      }
    }
    assertEquals(List.of(1L, 3L, 4L), snapshots.all().stream().map(Snapshot::index).toList());
    hold.end(snapshots);
    hold.end(snapshots);
    assertTrue(tick(0));
    assertEquals("remove 1", asked.getLast());
  }

  /** The agent comes to it when the request has been told that it is too busy. */
  @Test
  void aHoldThatIsGivenUpBeforeItBeginsHoldsNothing() {
    entry();
    log.sync();
    takenAt(INTERVAL_NS);
    SnapshotHold hold = new SnapshotHold(1);
    hold.end(snapshots);
    assertFalse(hold.begin(snapshots));
    assertEquals(Long.MAX_VALUE, snapshots.lowestHeld(0));
    SnapshotHold late = new SnapshotHold(1);
    assertTrue(late.begin(snapshots));
    late.end(snapshots);
    assertEquals(Long.MAX_VALUE, snapshots.lowestHeld(0));
  }

  /** As while a path is restored from it. */
  @Test
  void aSnapshotThatIsHeldStaysUntilItIsReleased() {
    snapshots =
        new SnapshotManager(
            port(),
            new SnapshotPolicy(INTERVAL_NS, 1),
            WORKSPACE,
            List.of(snapshot(1, ""), snapshot(2, ""), snapshot(3, ""), snapshot(4, "")),
            4,
            0);
    assertFalse(snapshots.hold(7), "there is none");
    assertTrue(snapshots.hold(1));
    assertTrue(snapshots.hold(1), "twice");
    snapshots.remove(1, this::tell);
    assertTrue(tick(0));
    assertEquals(List.of("failed: " + HELD), told);
    assertTrue(tick(0));
    assertEquals("remove 2", asked.getLast(), "the next one is too many, too");
    assertFalse(snapshots.hold(2), "it is on its way out");
    snapshots.removed(2);
    snapshots.release(1);
    assertFalse(tick(0));
    snapshots.release(1);
    assertTrue(tick(0));
    assertEquals("remove 1", asked.getLast());
  }

  @Test
  void aRemovalThatFailsDoesNotKeepSnapshotsFromBeingTaken() {
    snapshots =
        new SnapshotManager(
            port(),
            new SnapshotPolicy(INTERVAL_NS, 1),
            WORKSPACE,
            List.of(snapshot(1, ""), snapshot(2, ""), snapshot(3, "")),
            3,
            0);
    for (int i = 0; i < 4; i++) {
      entry();
    }
    log.sync();
    assertTrue(tick(0));
    assertEquals("remove 1", asked.getLast());
    snapshots.failed("cannot be removed", 0);
    assertFalse(tick(0));
    assertTrue(tick(INTERVAL_NS));
    assertTrue(tick(INTERVAL_NS));
    assertEquals("take 4 after 3", asked.getLast());
  }

  @Test
  void afterAFailureItIsTriedAgainSooner() {
    entry();
    log.sync();
    tick(INTERVAL_NS);
    tick(INTERVAL_NS);
    snapshots.failed("disk full", INTERVAL_NS);
    assertEquals("disk full", snapshots.lastFailure());
    assertFalse(tick(INTERVAL_NS + INTERVAL_NS / 5 - 1));
    assertTrue(tick(INTERVAL_NS + INTERVAL_NS / 5));
    assertTrue(tick(INTERVAL_NS + INTERVAL_NS / 5));
    done(1, "");
    assertEquals(null, snapshots.lastFailure());
  }

  @Test
  void whoAsksIsToldWhyItCannotBe() {
    entry();
    log.sync();
    snapshots.take("a", this::tell);
    tick(0);
    tick(0);
    done(1, "a");
    told.clear();
    snapshots.take("a", this::tell);
    snapshots.take("b", this::tell);
    snapshots.pin(9, true, this::tell);
    snapshots.remove(9, this::tell);
    while (tick(0)) {}
    assertEquals(
        List.of(
            "failed: there is a snapshot called a already",
            "failed: nothing has changed since snapshot a, which is the same state",
            "failed: there is no snapshot of entry 9",
            "failed: there is no snapshot of entry 9"),
        told);
  }

  @Test
  void aSnapshotThatWasTakenByItselfCanStillGetAName() {
    entry();
    log.sync();
    takenAt(INTERVAL_NS);
    snapshots.take("late", this::tell);
    assertTrue(tick(INTERVAL_NS));
    assertEquals("change 1 late", asked.getLast());
    done(1, "late");
    assertEquals(List.of("done 1 late"), told);
  }

  @Test
  void whatIsDistrustedIsSetAsideAndNothingIsTakenAnyMore() {
    for (int i = 1; i <= 2; i++) {
      entry();
      log.sync();
      takenAt(i * INTERVAL_NS);
    }
    entry();
    log.sync();
    long nowNs = 3 * INTERVAL_NS;
    assertTrue(tick(nowNs)); // a third one is decided on
    snapshots.distrust("another history", nowNs);
    snapshots.take("too late", this::tell);
    asked.clear();

    assertTrue(tick(nowNs));
    snapshots.failed("the disk is full", nowNs);
    assertFalse(tick(nowNs), "not again and again");
    assertEquals("another history", snapshots.lastFailure());
    assertTrue(tick(nowNs + INTERVAL_NS));
    snapshots.setAside();
    assertEquals(0, snapshots.newestIndex());
    for (int i = 5; i < 10; i++) {
      assertFalse(tick(i * INTERVAL_NS));
    }
    assertEquals(List.of("set aside", "set aside"), asked);
    assertEquals(List.of("failed: no snapshot is taken or kept: another history"), told);
  }

  @Test
  void aSnapshotThatIsUnderWayWhenAllAreDistrustedIsSetAsideToo() {
    entry();
    log.sync();
    assertTrue(tick(INTERVAL_NS));
    assertTrue(tick(INTERVAL_NS));
    snapshots.distrust("another history", INTERVAL_NS);
    assertFalse(tick(INTERVAL_NS));
    done(1, "");
    assertTrue(tick(INTERVAL_NS));
    assertEquals(List.of("take 1 after 0", "set aside"), asked);
  }

  @Test
  void oneThatFailsMeanwhileDelaysNothing() {
    entry();
    log.sync();
    assertTrue(tick(INTERVAL_NS));
    assertTrue(tick(INTERVAL_NS));
    snapshots.distrust("another history", INTERVAL_NS);
    snapshots.failed("the disk is full", INTERVAL_NS);
    assertTrue(tick(INTERVAL_NS));
    assertEquals(List.of("take 1 after 0", "set aside"), asked);
  }

  /** The oldest first, but not what somebody has named, nor what the next start needs. */
  @Test
  void snapshotsThatKeepTooMuchGo() {
    List<Snapshot> known = new ArrayList<>();
    for (long index = 1; index <= 6; index++) {
      known.add(snapshot(index, index == 2 ? "mine" : ""));
    }
    snapshots =
        new SnapshotManager(
            port(), new SnapshotPolicy(INTERVAL_NS, 9, 0, 100), WORKSPACE, known, 6, 0);
    assertFalse(tick(0));
    Map<Long, Long> bytes = Map.of(1L, 50L, 2L, 1_000L, 3L, 30L, 4L, 60L, 5L, 5L, 6L, 20L);
    snapshots.measured(bytes, false);
    assertEquals(165, snapshots.historyBytes(), "a named one does not count");
    removeAll();
    assertEquals(List.of("remove 1", "remove 3"), asked);
    assertEquals(85, snapshots.historyBytes());
    assertEquals(2, snapshots.removedForRoom());
    assertEquals(2, snapshots.removedForCollection());
    snapshots.measured(Map.of(4L, 60L, 5L, 5L, 6L, 20L), true);
    removeAll();
    assertEquals(List.of("remove 1", "remove 3", "remove 4"), asked, "the disk is full");
    snapshots.measured(Map.of(2L, 1_000L, 5L, 500L, 6L, 200L), false);
    removeAll();
    assertEquals(3, asked.size(), "5 and 6 are what the next start needs");
  }

  @Test
  void whatIsInNoSnapshotIsMeasuredAfterEachAttempt() {
    entry();
    log.sync();
    takenAt(INTERVAL_NS);
    assertFalse(tick(INTERVAL_NS));
    assertEquals(List.of(1L), measured);
    entry();
    log.sync();
    assertTrue(tick(2 * INTERVAL_NS));
    assertTrue(tick(2 * INTERVAL_NS));
    snapshots.failed("the disk is full", 2 * INTERVAL_NS);
    assertFalse(tick(2 * INTERVAL_NS));
    assertFalse(tick(2 * INTERVAL_NS));
    assertEquals(List.of(1L, 2L), measured);
  }

  @Test
  void oneIsDueAtOnceIfTooMuchIsInNone() {
    entry();
    log.sync();
    assertTrue(snapshots.tick(heavy(), log.durableIndex(), 1));
    assertTrue(snapshots.tick(heavy(), log.durableIndex(), 1));
    assertEquals(List.of("take 1 after 0"), asked);
    snapshots.failed("the disk is full", 1);
    assertFalse(snapshots.tick(heavy(), log.durableIndex(), 1), "it is not tried all the time");
  }

  @Test
  void onesThatWereTakenForLackOfMemoryGoFirst() {
    snapshots = manager(100, 0);
    for (int i = 1; i <= 4; i++) {
      entry();
      log.sync();
      if (i == 1) {
        takenAt(INTERVAL_NS);
      } else {
        assertTrue(snapshots.tick(heavy(), log.durableIndex(), INTERVAL_NS));
        assertTrue(snapshots.tick(heavy(), log.durableIndex(), INTERVAL_NS));
        done(i, "", INTERVAL_NS);
      }
    }
    asked.clear();
    assertTrue(tick(INTERVAL_NS));
    assertEquals(List.of("remove 2"), asked, "3 and 4 are what the next start needs");
  }

  @Test
  void oneThatIsDueWaitsForItsTurn() {
    StubTurns turns = new StubTurns();
    snapshots.takeTurns(turns);
    turns.isOurs = false;
    assertFalse(tick(INTERVAL_NS));
    assertEquals(List.of(), turns.asked, "there is nothing to take");
    entry();
    log.sync();
    assertFalse(tick(2 * INTERVAL_NS));
    assertFalse(tick(2 * INTERVAL_NS + 1));
    assertEquals(List.of("snapshot"), turns.asked, "it is not asked at each turn of the loop");
    turns.isOurs = true;
    long later = 2 * INTERVAL_NS + 1_000_000_000;
    assertTrue(tick(later));
    assertTrue(tick(later));
    assertEquals(List.of(), turns.ended);
    done(1, "", later);
    assertEquals(List.of("snapshot"), turns.ended);

    entry();
    log.sync();
    assertTrue(tick(2 * later));
    assertTrue(tick(2 * later));
    snapshots.failed("for a test", 2 * later);
    assertEquals(List.of("snapshot", "snapshot"), turns.ended);
  }

  /** A failure would put off those that are taken for lack of memory. */
  @Test
  void oneThatIsPutOffIsNoFailureAndIsTriedAgainAtOnce() {
    StubTurns turns = new StubTurns();
    snapshots.takeTurns(turns);
    entry();
    log.sync();
    assertTrue(tick(INTERVAL_NS));
    assertTrue(tick(INTERVAL_NS));
    snapshots.putOff(INTERVAL_NS);
    assertEquals(List.of("snapshot"), turns.ended);
    assertNull(snapshots.lastFailure());
    assertTrue(
        snapshots.tick(heavy(), log.durableIndex(), INTERVAL_NS), "it takes too much memory");
    assertTrue(snapshots.tick(heavy(), log.durableIndex(), INTERVAL_NS));
    assertEquals(List.of("take 1 after 0", "take 1 after 0"), asked);
  }

  @Test
  void whatAUserWantsAndWhatTheLogNeedsWaitsForNobodysTurn() {
    StubTurns turns = new StubTurns();
    turns.isOurs = false;
    snapshots.takeTurns(turns);
    entry();
    log.sync();
    snapshots.take("", this::tell);
    assertTrue(tick(0));
    assertTrue(tick(0));
    done(1, "");
    entry();
    log.sync();
    snapshots.soon(1);
    assertTrue(tick(1));
    assertTrue(tick(1));
    assertEquals(List.of("take 1 after 0", "take 2 after 1"), asked);
    assertEquals(List.of(), turns.asked);
  }

  @Test
  void theTurnIsOverWhenSnapshotsAreDistrusted() {
    StubTurns turns = new StubTurns();
    snapshots.takeTurns(turns);
    entry(); // not durable
    assertTrue(tick(INTERVAL_NS));
    snapshots.distrust("for a test", INTERVAL_NS);
    assertEquals(List.of("snapshot"), turns.ended);
  }

  /** Else a busy workspace would have no past at all. */
  @Test
  void onesThatAreTakenForLackOfMemoryDoNotPutOffTheOthers() {
    snapshots = manager(100, 0);
    List<Long> regular = new ArrayList<>();
    for (int half = 1; half <= 10; half++) {
      long nowNs = half * (INTERVAL_NS / 2);
      entry();
      log.sync();
      long index = sequencer.headIndex();
      while (snapshots.tick(heavy(), log.durableIndex(), nowNs)) {
        if (asked.isEmpty()) {
          continue; // it waits for the entry to be durable
        }
        if (asked.getLast().startsWith("remove ")) {
          snapshots.removed(Long.parseLong(asked.getLast().substring("remove ".length())));
        } else if (asked.getLast().startsWith("take " + index)) {
          done(index, "", nowNs);
        }
      }
      if (half % 2 == 0) {
        regular.add(index);
      }
    }
    List<Long> kept = snapshots.all().stream().map(Snapshot::index).toList();
    assertEquals(regular, kept.stream().filter(regular::contains).toList());
  }

  @Test
  void oneThatCannotBeTakenForLackOfMemoryIsNotRememberedAsSuch() {
    snapshots = manager(100, 0);
    entry();
    log.sync();
    assertTrue(snapshots.tick(heavy(), log.durableIndex(), 0));
    assertTrue(snapshots.tick(heavy(), log.durableIndex(), 0));
    snapshots.failed("no room", 0);
    takenAt(INTERVAL_NS);
    for (int i = 2; i <= 4; i++) {
      entry();
      log.sync();
      takenAt(i * INTERVAL_NS);
    }
    asked.clear();
    removeAll();
    assertEquals(List.of(), asked, "the first one is one of its interval");
  }

  /** The same state, of which too much is in memory only. */
  private SnapshotSource heavy() {
    return new SnapshotSource() {
      @Override
      public long index() {
        return sequencer.index();
      }

      @Override
      public Manifest manifest(WorkspaceId workspace) {
        return sequencer.manifest(workspace);
      }

      @Override
      public boolean takesTooMuch() {
        return true;
      }
    };
  }

  private void removeAll() {
    while (tick(0)) {
      snapshots.removed(Long.parseLong(asked.getLast().substring("remove ".length())));
    }
  }

  private SnapshotManager manager(int retain, long base) {
    return new SnapshotManager(
        port(), new SnapshotPolicy(INTERVAL_NS, retain), WORKSPACE, List.of(), base, 0);
  }

  private SnapshotPort port() {
    return new SnapshotPort() {
      @Override
      public void take(Manifest manifest, long after, String name) {
        asked.add(("take " + manifest.index() + " after " + after + " " + name).strip());
      }

      @Override
      public void measure(Manifest newest) {
        measured.add(newest.index());
        snapshots.weighed();
      }

      @Override
      public void change(Snapshot snapshot) {
        asked.add(
            ("change " + snapshot.index() + " " + snapshot.name()).strip()
                + (snapshot.isPinned() ? " pinned" : ""));
      }

      @Override
      public void remove(long index) {
        asked.add("remove " + index);
      }

      @Override
      public void setAside() {
        asked.add("set aside");
      }
    };
  }

  private void tell(Answer answer) {
    told.add(
        switch (answer) {
          case Answer.Done(Snapshot snapshot) ->
              ("done " + snapshot.index() + " " + snapshot.name()).strip();
          case Answer.Failed(String why) -> "failed: " + why;
        });
  }

  private boolean tick(long nowNs) {
    return snapshots.tick(sequencer, log.durableIndex(), nowNs);
  }

  private void takenAt(long nowNs) {
    assertTrue(tick(nowNs));
    assertTrue(tick(nowNs));
    done(sequencer.headIndex(), "");
  }

  private void done(long index, String name) {
    done(index, name, 0);
  }

  private void done(long index, String name, long nowNs) {
    snapshots.taken(snapshot(index, name), nowNs);
  }

  private static Snapshot snapshot(long index, String name) {
    return new Snapshot(index, 0, 0, 0, false, name, new byte[0]);
  }

  private void entry() {
    long number = sequencer.headIndex() + 1;
    FsOp op = new FsOp.MakeDir(FsState.ROOT, Name.of("d" + number), 0755, 0, 0);
    var _ =
        sequencer.sequence(
            new IntentId(new ClientId(1, 1), number),
            new Author("", new WorkerId("w")),
            CallContext.NONE,
            op,
            new byte[0]);
  }
}
