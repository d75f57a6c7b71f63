package io.hypersync.leader.restore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.Entries;
import io.hypersync.leader.restore.StateRestores.Answer;
import io.hypersync.leader.sequencer.Sequencer;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.snapshot.HeldRestore;
import io.hypersync.snapshot.RestoresFile;
import io.hypersync.snapshot.Snapshot;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** In which order a whole state is restored, and for how long it is held. */
class StateRestoresTest {
  private static final long LEASE_NS = 30_000_000_000L;
  private static final long LATER_NS = 3_600_000_000_000L;

  private final FakeLeader leader = new FakeLeader();
  private final List<String> events = new ArrayList<>();
  private StateRestores restores = restores(List.of(), List.of());

  private StateRestores restores(List<HeldRestore> held, List<HeldRestore> stored) {
    return new StateRestores(
        new StateRestores.Start(each -> events.add("write " + text(each)), held, stored), 0);
  }

  private static Snapshot state(long index) {
    return new Snapshot(index, 0, 0, 0, false, "", new byte[] {(byte) index});
  }

  private static String text(List<HeldRestore> held) {
    return held.stream()
        .map(each -> each.state().index() + (each.isExact() ? "@" : "@>=") + each.entry())
        .collect(Collectors.joining(",", "[", "]"));
  }

  private void answer(Answer answer) {
    events.add(
        switch (answer) {
          case Answer.Logged(long index) -> "entry " + index;
          case Answer.Refused(String why, _) -> "refused: " + why;
        });
  }

  private void begin(long index) {
    assertTrue(restores.begin());
    restores.stored(state(index), leader, this::answer, 0);
  }

  private void tick() {
    restores.tick(leader, 0);
  }

  @Test
  void nothingIsLoggedBeforeItIsSaidWhatIsHeld() {
    assertTrue(restores.begin());
    assertTrue(restores.isMaking(), "no collection takes its roots");
    restores.stored(state(7), leader, this::answer, 0);
    assertFalse(restores.isMaking());
    assertEquals("[7@>=101]", text(restores.held()), "it is a root at once");
    tick();
    assertEquals(List.of("write [7@>=101]"), events);
    leader.head = 105; // others go on
    restores.written();
    tick();
    assertEquals(List.of("write [7@>=101]", "log 106", "snapshot", "entry 106"), events);
    assertFalse(restores.isBusy());
  }

  /** So the state before it is kept as well as what was there. */
  @Test
  void aSnapshotComesFirstIfItCan() {
    leader.snapshotIndex = 99;
    begin(7);
    restores.written();
    assertTrue(leader.asksFirst);
    tick();
    assertEquals(100, leader.head, "there is none yet");
    leader.snapshotIndex = 100;
    tick();
    assertEquals(101, leader.head);
  }

  @Test
  void aSnapshotThatDoesNotComeIsNotWaitedForForEver() {
    leader.snapshotIndex = 99;
    begin(7);
    restores.written();
    restores.tick(leader, 10_000_000_000L);
    assertEquals(100, leader.head);
    restores.tick(leader, 10_000_000_001L);
    assertEquals(101, leader.head);
  }

  @Test
  void theEntryNamesWhatIsOpenInTheTurnInWhichItIsLogged() {
    leader.open.add(new NodeId(1, 1));
    begin(7);
    leader.open.add(new NodeId(1, 2));
    restores.written();
    tick();
    assertEquals(Set.of(new NodeId(1, 1), new NodeId(1, 2)), leader.loggedOpen);
  }

  @Test
  void onceTheEntryIsDurableTheRecordSaysIt() {
    begin(7);
    restores.written();
    tick();
    events.clear();
    tick();
    assertEquals(List.of(), events, "it is not durable yet");
    leader.durable = 101;
    tick();
    assertEquals(List.of("write [7@101]"), events);
    restores.written();
    tick();
    assertEquals(List.of("write [7@101]"), events);
  }

  @Test
  void itIsHeldUntilTheLogBeginsBehindTheEntry() {
    begin(7);
    restores.written();
    tick();
    leader.durable = 101;
    tick();
    restores.written();
    events.clear();
    leader.first = 101;
    tick();
    assertEquals("[7@101]", text(restores.held()));
    leader.first = 102;
    tick();
    assertEquals(List.of("write []"), events);
    assertEquals("[7@101]", text(restores.held()), "a root until it is durably taken back");
    restores.written();
    assertEquals("[]", text(restores.held()));
  }

  @Test
  void whatALeaderBeginsWithIsHeldAlike() {
    HeldRestore known = new HeldRestore(50, true, state(7));
    HeldRestore lost = new HeldRestore(60, false, state(8));
    restores = restores(List.of(known), List.of(known, lost));
    assertEquals("[7@50,8@>=60]", text(restores.held()));
    tick();
    assertEquals(List.of("write [7@50]"), events);
    restores.written();
    assertEquals("[7@50]", text(restores.held()));
  }

  @Test
  void whatCannotBeWrittenDownIsNotRestored() {
    begin(7);
    restores.notWritten("No space left on device", 0);
    tick();
    assertEquals(
        List.of(
            "write [7@>=101]",
            "refused: it cannot be written down which state is held: No space left on device"),
        events);
    assertEquals("[7@>=101]", text(restores.held()), "it may have been written all the same");
    events.clear();
    restores.tick(leader, LATER_NS);
    assertEquals(List.of("write []"), events);
    restores.written();
    assertEquals("[]", text(restores.held()));
  }

  @Test
  void whatTheSequencerRefusesIsNotHeld() {
    leader.refusal = Errno.ENOSPC;
    begin(7);
    restores.written();
    tick();
    assertEquals("refused: the disk is full, or the state takes too much memory", events.get(1));
    assertEquals("write []", events.get(2));
  }

  @Test
  void itWaitsForTheLogAndForWhatIsOpen() {
    leader.takes = false;
    leader.knows = false;
    begin(7);
    restores.written();
    tick();
    leader.takes = true;
    tick();
    assertEquals(List.of("write [7@>=101]"), events);
    leader.knows = true;
    tick();
    assertEquals("entry 101", events.getLast());
  }

  @Test
  void itDoesNotWaitForEver() {
    leader.takes = false;
    begin(7);
    restores.written();
    restores.tick(leader, LEASE_NS);
    assertTrue(restores.isBusy());
    restores.tick(leader, 2 * LEASE_NS);
    assertTrue(events.contains("refused: the log takes no entries"), events::toString);
    assertFalse(restores.isBusy());
  }

  @Test
  void moreOpenNodesThanAnEntryHasRoomForAreRefused() {
    for (int i = 0; i <= FsOp.RestoreState.MAX_OPEN; i++) {
      leader.open.add(new NodeId(1, i));
    }
    begin(7);
    restores.written();
    tick();
    assertTrue(
        events.get(1).startsWith("refused: 65537 files and directories are open"),
        events::toString);
  }

  @Test
  void oneIsRestoredAtATime() {
    assertTrue(restores.begin());
    assertFalse(restores.begin());
    restores.givenUp();
    begin(7);
    assertFalse(restores.begin());
    restores.givenUp(); // of somebody who was refused
    assertTrue(restores.isBusy());
    restores.written();
    tick();
    begin(7); // the same state once more
    assertEquals("[7@>=101,7@>=102]", text(restores.held()));
  }

  @Test
  void theLogHasABoundedNumberOfThem() {
    List<HeldRestore> held = new ArrayList<>();
    for (int i = 0; i < RestoresFile.MOST; i++) {
      held.add(new HeldRestore(i + 1, true, state(7)));
    }
    restores = restores(held, held);
    begin(7);
    assertEquals(List.of("refused: the log has 256 restores of everything already"), events);
    assertFalse(restores.isBusy());
  }

  private final class FakeLeader implements StateRestores.Leader {
    private long head = 100;
    private long durable = 100;
    private long first = 1;
    private boolean takes = true;
    private boolean knows = true;
    private final Set<NodeId> open = new HashSet<>();
    private long snapshotIndex = Long.MAX_VALUE;
    private boolean asksFirst;
    private Set<NodeId> loggedOpen = Set.of();
    private @Nullable Errno refusal;

    @Override
    public long headIndex() {
      return head;
    }

    @Override
    public long durableIndex() {
      return durable;
    }

    @Override
    public long firstIndex() {
      return first;
    }

    @Override
    public boolean takesEntry() {
      return takes;
    }

    @Override
    public boolean knowsWhatIsOpen() {
      return knows;
    }

    @Override
    public long unknownNs() {
      return LEASE_NS;
    }

    @Override
    public List<NodeId> lost(byte[] manifest) {
      return List.copyOf(open);
    }

    @Override
    public long snapshotIndex() {
      return snapshotIndex;
    }

    @Override
    public Sequencer.Result sequence(FsOp op) {
      if (refusal != null) {
        return new Sequencer.Result.Refused(refusal);
      }
      head++;
      loggedOpen = Set.copyOf(((FsOp.RestoreState) op).open());
      events.add("log " + head);
      return new Sequencer.Result.Sequenced(Entries.of(head, op).entry(), new byte[0]);
    }

    @Override
    public void snapshotSoon() {
      if (head > 100) { // another one was asked for before the entry
        events.add("snapshot");
      } else {
        asksFirst = true;
      }
    }
  }
}
