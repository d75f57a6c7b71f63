package io.hypersync.worker.coherence;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.Entries;
import io.hypersync.fixtures.States;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.FsOp.SetAttributes;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.state.FsState;
import io.hypersync.worker.port.ApplyListener;
import io.hypersync.worker.port.CacheNotifier;
import io.hypersync.worker.replica.IndexedState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When an entry becomes visible, and which invalidations precede it (docs/kernel-caching.md). */
class VisibilityGateTest {
  private static final InodeNo ROOT = InodeNo.ROOT;
  private static final InodeNo FILE = new InodeNo(2);
  private static final NodeId FILE_ID = new NodeId(7, 1);
  private static final Name X = Name.of("x");
  private static final Name Y = Name.of("y");
  private static final long MS = 1_000_000;

  private final Set<String> kept = new HashSet<>();
  private final List<String> told = new ArrayList<>();
  private final List<Long> visible = new ArrayList<>();
  private final List<Long> callersTold = new ArrayList<>();
  private final Set<InodeNo> unknownInodes = new HashSet<>();
  private final Set<IntentId> waitingCalls = new HashSet<>();
  private final Set<Lock> locked = new HashSet<>();
  private boolean held;
  private boolean callsWait;
  private FsState state = FsState.genesis();
  private long index;
  private final VisibilityGate visibilityGate =
      new VisibilityGate(
          new IndexedState(0, state, state.root()),
          new Caches(),
          new Notifier(),
          new Calls(),
          new Shown(),
          (entry, _) -> callersTold.add(entry.index()));

  /** A directory that an unanswered call has locked. */
  private record Lock(NodeId directory, IntentId call) {}

  VisibilityGateTest() {
    apply(new FsOp.CreateFile(FsState.ROOT, X, 0644, 0, 0));
    visibilityGate.publish(0);
    visible.clear();
    callersTold.clear();
  }

  @Test
  void whatTheKernelHasNothingOfIsVisibleAtOnce() {
    apply(new FsOp.CreateFile(FsState.ROOT, Y, 0644, 0, 0));
    apply(new FsOp.Unlink(FsState.ROOT, Y));
    assertEquals(2, visibilityGate.publish(0));
    assertEquals(List.of(2L, 3L), visible);
    assertEquals(List.of(), told);
  }

  @Test
  void attributesAreTakenBackBeforeAndAtOnce() {
    kept.addAll(List.of("attributes 1", "attributes 2"));
    apply(new FsOp.Truncate(FILE_ID, 5, false));
    visibilityGate.publish(0);
    assertEquals(List.of("attributes 2 at 1"), told);
    assertEquals(List.of(2L), visible);
    assertTrue(kept.contains("attributes 1"), "the directory's have not changed");
  }

  @Test
  void anInodeThatTheKernelHasNotYetHeardOfIsWaitedFor() {
    kept.add("attributes 2");
    unknownInodes.add(FILE);
    apply(new FsOp.Truncate(FILE_ID, 5, false));
    visibilityGate.publish(0);
    assertEquals(List.of("attributes 2 at 1", "contents 1 [2] [] at 1"), told);
    assertEquals(List.of(), visible);
    assertFalse(visibilityGate.view().keepsAttributes(FILE), "nothing of it may be kept meanwhile");
    visibilityGate.publish(10_000 * MS);
    assertEquals(List.of(), visible, "however long that takes");
    visibilityGate.dropped(1);
    visibilityGate.publish(10_000 * MS);
    assertEquals(List.of(2L), visible);
    assertTrue(visibilityGate.view().keepsAttributes(FILE));
  }

  @Test
  void namesAreWaitedForAndNothingLaterOvertakes() {
    kept.add("name 1 x");
    apply(new FsOp.Rename(FsState.ROOT, X, FsState.ROOT, Y, RenameMode.REPLACE));
    apply(new FsOp.Truncate(FILE_ID, 5, false));
    visibilityGate.publish(0);
    assertEquals(List.of("names 1 [x] at 1"), told);
    assertEquals(List.of(), visible);
    assertEquals(1, visibilityGate.view().visible().index());
    assertFalse(visibilityGate.view().keepsName(ROOT, X));
    assertFalse(visibilityGate.view().keepsName(ROOT, Y));
    visibilityGate.dropped(1);
    visibilityGate.publish(0);
    assertEquals(List.of(2L, 3L), visible);
  }

  @Test
  void whenACallHereMayHoldTheDirectoryNobodyWaitsForItsNamesButForWhatTheyLeadTo() {
    kept.addAll(List.of("name 1 x", "known 2"));
    held = true;
    apply(new FsOp.Unlink(FsState.ROOT, X));
    visibilityGate.publish(0);
    assertEquals(List.of("names 1 [x] at 1", "loosen 2 [2] at 1"), told);
    assertEquals(List.of(), visible);
    visibilityGate.dropped(2);
    visibilityGate.publish(0);
    assertEquals(List.of(2L), visible);
    assertEquals(1, visibilityGate.namesLate());
  }

  @Test
  void namesThatNobodyHereHoldsAreWaitedForLonger() {
    kept.add("name 1 x");
    apply(new FsOp.Unlink(FsState.ROOT, X));
    visibilityGate.publish(0);
    visibilityGate.publish(499 * MS);
    assertEquals(List.of(), visible);
    visibilityGate.publish(500 * MS);
    assertEquals(List.of("names 1 [x] at 1"), told);
    assertEquals(List.of(2L), visible);
    visibilityGate.dropped(1);
    kept.add("name 1 y");
    callsWait = true; // which directory it has locked is unknown
    apply(new FsOp.CreateFile(FsState.ROOT, Y, 0644, 0, 0));
    visibilityGate.publish(0);
    assertEquals("names 2 [y] at 2", told.getLast());
    visibilityGate.publish(49 * MS);
    assertEquals(List.of(2L), visible);
    visibilityGate.publish(50 * MS);
    assertEquals("loosen 3 [] and what is missing at 2", told.getLast());
    assertEquals(List.of(2L), visible, "the kernel still says that it is missing");
    visibilityGate.dropped(3);
    visibilityGate.publish(50 * MS);
    assertEquals(List.of(2L, 3L), visible);
    assertEquals(2, visibilityGate.namesLate());
  }

  @Test
  void ofAnOwnCallTheNamesAreExpiredAfterwardsAndTheNextEntryWaitsForThat() {
    kept.add("name 1 x");
    waitingCalls.add(intent(2));
    apply(new FsOp.Rename(FsState.ROOT, X, FsState.ROOT, Y, RenameMode.REPLACE));
    apply(new FsOp.Truncate(FILE_ID, 5, false));
    visibilityGate.publish(0);
    assertEquals(List.of(2L), callersTold);
    assertEquals(1, visibilityGate.settled(), "the kernel is not through");
    assertEquals(List.of("expire 1 [x, y] at 2"), told);
    assertTrue(kept.contains("name 1 y"), "where it went the kernel keeps it for as long");
    visibilityGate.dropped(1);
    visibilityGate.publish(0);
    assertEquals(List.of(2L, 3L), visible);
  }

  /** The other call got the lock from the first one's caller, who had updated the names by then. */
  @Test
  void ofAnOwnCallNobodyWaitsForTheNamesOnceAnotherCallHasTheDirectoryLocked() {
    kept.add("name 1 x");
    waitingCalls.add(intent(2));
    apply(new FsOp.Unlink(FsState.ROOT, X));
    apply(new FsOp.CreateFile(FsState.ROOT, Y, 0644, 0, 0));
    locked.add(new Lock(FsState.ROOT, intent(2)));
    visibilityGate.publish(0);
    assertEquals(1, visibilityGate.settled(), "its own lock proves nothing");
    locked.add(new Lock(FsState.ROOT, intent(4)));
    held = true;
    visibilityGate.publish(0);
    assertEquals(3, visibilityGate.settled());
    assertEquals(List.of("expire 1 [x] at 2"), told);
    assertEquals(0, visibilityGate.namesLate());
  }

  /**
   * The caller was answered with EIO: the kernel left its names as they were, and they are wrong
   * until they are invalidated.
   */
  @Test
  void ofAnOwnCallWhoseCallerWasToldThatNobodyKnowsNoLockProvesAnything() {
    kept.addAll(List.of("name 1 x", "attributes 2"));
    unknownInodes.add(FILE);
    waitingCalls.add(intent(2));
    apply(new FsOp.Unlink(FsState.ROOT, X));
    visibilityGate.publish(0);
    assertEquals(1, visibilityGate.settled());
    waitingCalls.clear(); // answered with EIO at its deadline
    visibilityGate.dropped(1);
    locked.add(new Lock(FsState.ROOT, intent(3)));
    held = true;
    visibilityGate.publish(0);
    assertEquals("expire 2 [x] at 2", told.getLast());
    assertEquals(2, visibilityGate.settled());
    assertEquals(1, visibilityGate.namesLate());
  }

  /**
   * The other call may be removing the directory or syncing it; it can have the lock only after the
   * first one's caller has updated the names.
   */
  @Test
  void ofAnOwnCallNobodyWaitsForTheNamesOnceAnotherCallMayHoldTheDirectory() {
    kept.add("name 1 x");
    waitingCalls.add(intent(2));
    held = true;
    apply(new FsOp.Unlink(FsState.ROOT, X));
    visibilityGate.publish(0);
    assertEquals(List.of("expire 1 [x] at 2"), told);
    assertEquals(2, visibilityGate.settled());
    assertEquals(0, visibilityGate.namesLate());
  }

  /**
   * Its ack waits for other workers, and its caller for the ack; the kernel for its caller. None of
   * that is a slow caller, and no lock can have been passed on.
   */
  @Test
  void ofAnOwnCallWithoutAnAckTheNamesAreWaitedForAsLongAsItsAckMayWaitForOthers() {
    kept.add("name 1 x");
    waitingCalls.add(intent(2));
    held = true;
    visibilityGate.awaitAcks(true);
    apply(new FsOp.Unlink(FsState.ROOT, X));
    apply(new FsOp.Truncate(FILE_ID, 5, false));
    visibilityGate.publish(0);
    visibilityGate.publish(10_000 * MS);
    assertEquals(1, visibilityGate.settled());
    assertEquals(
        List.of(2L), visible, "nothing newer is shown before the kernel's names are right");
    waitingCalls.clear(); // its ack is here
    held = false;
    visibilityGate.publish(10_000 * MS);
    assertEquals(1, visibilityGate.settled(), "from now on the caller has its usual time");
    visibilityGate.dropped(1);
    visibilityGate.publish(10_001 * MS);
    assertEquals(3, visibilityGate.settled());
    assertEquals(0, visibilityGate.namesLate());
  }

  @Test
  void withoutALeaderAnOwnCallsNamesAreNotWaitedForForever() {
    kept.add("name 1 x");
    waitingCalls.add(intent(2));
    visibilityGate.awaitAcks(true);
    apply(new FsOp.Unlink(FsState.ROOT, X));
    visibilityGate.publish(0);
    visibilityGate.awaitAcks(false);
    visibilityGate.publish(10_000 * MS);
    assertEquals(2, visibilityGate.settled());
    assertEquals(1, visibilityGate.namesLate());
  }

  @Test
  void ofAMoveBothDirectoriesMustBeLockedByOthers() {
    NodeId directory = new NodeId(7, 2);
    apply(new FsOp.MakeDir(FsState.ROOT, Y, 0755, 0, 0));
    visibilityGate.publish(0);
    kept.add("name 1 x");
    waitingCalls.add(intent(3));
    apply(new FsOp.Rename(FsState.ROOT, X, directory, X, RenameMode.REPLACE));
    visibilityGate.publish(0);
    locked.add(new Lock(FsState.ROOT, intent(9)));
    visibilityGate.publish(0);
    assertEquals(2, visibilityGate.settled());
    locked.add(new Lock(directory, intent(9)));
    visibilityGate.publish(0);
    assertEquals(3, visibilityGate.settled());
    assertEquals(0, visibilityGate.namesLate());
  }

  @Test
  void namesOfAnotherEntryAreDroppedBesideOnesThatHaveToWait() {
    kept.addAll(List.of("name 1 x", "name 1 y"));
    apply(new FsOp.Unlink(FsState.ROOT, X));
    visibilityGate.publish(0);
    visibilityGate.publish(500 * MS);
    assertEquals(List.of("names 1 [x] at 1"), told);
    apply(new FsOp.CreateFile(FsState.ROOT, Y, 0644, 0, 0));
    visibilityGate.publish(500 * MS);
    assertEquals(List.of(2L), visible);
    visibilityGate.dropped(2);
    visibilityGate.publish(500 * MS);
    assertEquals(List.of(2L, 3L), visible);
    assertEquals(1, visibilityGate.namesLate());
  }

  @Test
  void whenTooManyDropsWaitOthersAreNotWaitedForLong() {
    Name last = Name.of("last");
    for (int i = 0; i <= VisibilityGate.MAX_DETACHED; i++) {
      Name name = i == VisibilityGate.MAX_DETACHED ? last : Name.of("n" + i);
      kept.add("name 1 " + name);
      apply(new FsOp.CreateFile(FsState.ROOT, name, 0644, 0, 0));
      visibilityGate.publish(0);
      visibilityGate.publish((i < VisibilityGate.MAX_DETACHED ? 500 : 50) * MS);
      visibilityGate.dropped(2 * i + 2); // unused names and inodes are forgotten
      visibilityGate.publish(0);
    }
    assertEquals(VisibilityGate.MAX_DETACHED + 1, visibilityGate.namesLate());
    assertEquals(VisibilityGate.MAX_DETACHED + 1, visible.size());
    assertTrue(told.get(told.size() - 2).contains(" [last] at "), told.toString());
  }

  /**
   * The directory is not taken out of the cache: it may be the working directory of processes, and
   * filesystems may be mounted below it.
   */
  @Test
  void aDirectoryThatHasMovedIsExpiredWhereItWasAndLookedUpWhereItIs() {
    apply(new FsOp.MakeDir(FsState.ROOT, Y, 0755, 0, 0));
    apply(new FsOp.MakeDir(FsState.ROOT, Name.of("d"), 0755, 0, 0));
    assertEquals(2, visibilityGate.publish(0));
    kept.addAll(List.of("known 3", "name 1 y", "name 4 x"));
    visible.clear();
    apply(new FsOp.Rename(FsState.ROOT, Y, new NodeId(7, 3), X, RenameMode.REPLACE));
    visibilityGate.publish(0);
    assertEquals(List.of("names 1 [x] at 3", "expire 1 [y] at 3"), told);
    visibilityGate.dropped(1);
    visibilityGate.publish(0);
    assertEquals("follow 2 [3 at 4/x] at 4", told.getLast());
    assertEquals(List.of(4L), visible);
    assertEquals(3, visibilityGate.settled());
    visibilityGate.publish(499 * MS);
    assertEquals(3, visibilityGate.settled());
    visibilityGate.dropped(2);
    visibilityGate.publish(499 * MS);
    assertEquals(4, visibilityGate.settled());
    assertEquals(0, visibilityGate.namesLate());
  }

  @Test
  void nobodyWaitsForADirectoryToBeFollowedToOneThatACallHereMayHold() {
    apply(new FsOp.MakeDir(FsState.ROOT, Y, 0755, 0, 0));
    visibilityGate.publish(0);
    kept.add("known 3");
    held = true;
    apply(new FsOp.Rename(FsState.ROOT, Y, FsState.ROOT, Name.of("z"), RenameMode.REPLACE));
    visibilityGate.publish(0);
    assertEquals(List.of("follow 1 [3 at 1/z] at 3"), told);
    assertEquals(3, visibilityGate.settled());
    assertEquals(1, visibilityGate.namesLate());
  }

  @Test
  void aDirectoryThatACallHereHasMovedIsLeftToItsKernel() {
    apply(new FsOp.MakeDir(FsState.ROOT, Y, 0755, 0, 0));
    visibilityGate.publish(0);
    kept.add("known 3");
    waitingCalls.add(intent(3));
    apply(new FsOp.Rename(FsState.ROOT, Y, FsState.ROOT, Name.of("z"), RenameMode.REPLACE));
    visibilityGate.publish(0);
    assertEquals(List.of(), told);
    assertEquals(3, visibilityGate.settled());
  }

  @Test
  void theKernelHearsHowLongAFileIsNowBeforeAnybodyActsOnIt() {
    kept.add("known 2");
    apply(new FsOp.Truncate(FILE_ID, 5, false));
    visibilityGate.publish(0);
    assertEquals(List.of("contents 1 [] [] 2 is 5 at 2"), told);
    assertTrue(visibilityGate.view().isGrowing(FILE));
    assertEquals(1, visibilityGate.settled());
    visibilityGate.dropped(1);
    visibilityGate.publish(0);
    assertFalse(visibilityGate.view().isGrowing(FILE));
    assertEquals(2, visibilityGate.settled());
    told.clear();
    apply(new FsOp.Truncate(FILE_ID, 4, false));
    visibilityGate.publish(0);
    waitingCalls.add(intent(4));
    apply(new FsOp.Truncate(FILE_ID, 9, false));
    visibilityGate.publish(0);
    assertEquals(List.of(), told, "a shorter one it notices; its own calls it knows");
    assertEquals(4, visibilityGate.settled());
  }

  @Test
  void aDirectoryThatIsRemovedIsTakenOutWithAllBelowItThoughItsNameIsNotKept() {
    apply(new FsOp.MakeDir(FsState.ROOT, Y, 0755, 0, 0));
    visibilityGate.publish(0);
    kept.add("known 3");
    apply(new FsOp.RemoveDir(FsState.ROOT, Y));
    visibilityGate.publish(0);
    assertEquals(List.of("names 1 [y] at 2"), told);
  }

  @Test
  void aDirectoryThatAnotherOneReplacesIsTakenOutToo() {
    apply(new FsOp.MakeDir(FsState.ROOT, Y, 0755, 0, 0));
    apply(new FsOp.MakeDir(FsState.ROOT, Name.of("d"), 0755, 0, 0));
    assertEquals(2, visibilityGate.publish(0));
    kept.add("known 3");
    apply(new FsOp.Rename(FsState.ROOT, Name.of("d"), FsState.ROOT, Y, RenameMode.REPLACE));
    visibilityGate.publish(0);
    assertEquals(List.of("names 1 [y] at 3", "expire 1 [d] at 3"), told);
  }

  @Test
  void anMtimeSetByHandTakesThePagesBackFirst() {
    kept.add("pages 2");
    apply(new SetAttributes(FILE_ID, SetAttributes.MTIME, 0, 0, 0, 77));
    visibilityGate.publish(0);
    assertEquals(List.of("contents 1 [] [2:0+0] at 1"), told);
    assertEquals(List.of(), visible);
    visibilityGate.dropped(1);
    visibilityGate.publish(0);
    assertEquals(List.of(2L), visible);
  }

  @Test
  void pagesAreDroppedWhenTheEntryIsVisibleAndBeforeACallerIsToldOrTheNextEntryIsTaken() {
    kept.add("pages 2");
    waitingCalls.add(intent(2));
    apply(new FsOp.Truncate(FILE_ID, 0, false));
    apply(new FsOp.Unlink(FsState.ROOT, X));
    visibilityGate.publish(0);
    assertEquals(List.of("contents 1 [] [2:0+0] at 2"), told);
    assertEquals(List.of(2L), visible);
    assertEquals(List.of(), callersTold);
    assertEquals(1, visibilityGate.settled());
    assertTrue(kept.contains("pages 2"), "others than these may be there still");
    visibilityGate.dropped(1);
    visibilityGate.publish(0);
    assertEquals(List.of(2L, 3L), callersTold);
    assertEquals(3, visibilityGate.settled());
  }

  @Test
  void aListingThatIsOpenIsDroppedBeforeTheEntryIsVisibleButNotWaitedForForever() {
    kept.add("listing 1");
    apply(new FsOp.Unlink(FsState.ROOT, X));
    visibilityGate.publish(0);
    assertEquals(List.of("listing 1 1 at 1"), told);
    visibilityGate.publish(10_000_000);
    assertEquals(List.of(), visible, "however long it takes");
    assertFalse(kept.contains("dropped listing 1"));
    visibilityGate.dropped(1);
    assertTrue(kept.contains("dropped listing 1"));
    visibilityGate.publish(0);
    assertEquals(List.of(2L), visible);

    kept.add("listing 1");
    apply(new SetAttributes(FsState.ROOT, SetAttributes.MTIME, 0, 0, 0, 5));
    visibilityGate.publish(0);
    assertEquals(List.of(2L), visible);
    kept.remove("dropped listing 1");
    visibilityGate.heldUp(2); // the process that reads it is stalled
    visibilityGate.publish(0);
    assertEquals(List.of(2L, 3L), visible);
    assertFalse(kept.contains("dropped listing 1"), "it is not dropped yet");
    visibilityGate.dropped(2);
    assertTrue(kept.contains("dropped listing 1"));
  }

  /** To drop the name, the kernel would wait for the reader and block all later lookups there. */
  @Test
  void aMissingNameThatComesToBeWhereAListingIsReadIsDroppedWhenThatIsOver() {
    kept.addAll(List.of("listing 1", "name 1 y", "name 1 z"));
    apply(new FsOp.CreateFile(FsState.ROOT, Y, 0644, 0, 0));
    visibilityGate.publish(0);
    assertEquals(List.of("listing 1 1 at 1"), told);
    visibilityGate.heldUp(1); // the reader is stalled
    visibilityGate.publish(0);
    assertEquals("loosen 2 [] and what is missing at 1", told.getLast());
    assertEquals(List.of(), visible, "the kernel still says that it is missing");
    visibilityGate.dropped(2);
    visibilityGate.publish(0);
    assertEquals(List.of(2L), visible);
    told.clear();
    apply(new FsOp.CreateFile(FsState.ROOT, Name.of("z"), 0644, 0, 0));
    visibilityGate.publish(0);
    assertEquals(List.of("loosen 3 [] and what is missing at 2"), told, "still being read");
    visibilityGate.dropped(3);
    visibilityGate.publish(0);
    assertEquals(List.of(2L, 3L), visible);
    visibilityGate.dropped(1);
    assertEquals("names 4 [y, z] at 3", told.getLast(), "nobody reads it any more");
    kept.addAll(List.of("listing 1", "name 1 a"));
    apply(new FsOp.CreateFile(FsState.ROOT, Name.of("a"), 0644, 0, 0));
    told.clear();
    visibilityGate.publish(0);
    visibilityGate.dropped(5);
    visibilityGate.publish(0);
    assertEquals(List.of("listing 5 1 at 3", "names 6 [a] at 3"), told);
    assertEquals(List.of(2L, 3L), visible);
    visibilityGate.dropped(6);
    visibilityGate.publish(0);
    assertEquals(List.of(2L, 3L, 4L), visible);
  }

  @Test
  void theKernelIsToldOfAnotherOwner() {
    kept.add("known 2");
    apply(new SetAttributes(FILE_ID, SetAttributes.UID, 0, 0, 0, 0));
    visibilityGate.publish(0);
    assertEquals(List.of(), told, "the same owner");
    apply(new SetAttributes(FILE_ID, SetAttributes.UID, 0, 1000, 0, 0));
    visibilityGate.publish(0);
    assertEquals(List.of("owner 1 2 at 3"), told);
    assertEquals(2, visibilityGate.settled());
    visibilityGate.dropped(1);
    visibilityGate.publish(0);
    assertEquals(3, visibilityGate.settled());
  }

  /** All that the kernel has is expired; and while it is, it is given nothing to keep. */
  @Test
  void aStateThatTakesThePlaceOfAnotherOneIsVisibleOnceTheKernelHasNothingLeft() {
    jump(9);
    visibilityGate.publish(0);
    assertEquals(List.of("expire all 1 at 1"), told);
    assertFalse(visibilityGate.view().keepsAttributes(FILE));
    assertFalse(visibilityGate.view().keepsName(ROOT, Y));
    visibilityGate.publish(10_000 * MS);
    assertEquals(List.of(), visible, "however long that takes");
    visibilityGate.dropped(1);
    visibilityGate.publish(0);
    assertEquals(List.of(9L), visible);
    assertEquals("follow all 2 at 9", told.getLast());
    assertTrue(visibilityGate.view().isGrowing(FILE), "its length may be an old one");
    assertTrue(visibilityGate.view().keepsName(ROOT, Y));
    assertEquals(1, visibilityGate.settled());
    visibilityGate.dropped(2);
    visibilityGate.publish(0);
    assertEquals(9, visibilityGate.settled());
    assertFalse(visibilityGate.view().isGrowing(FILE));
  }

  @Test
  void anEntryThatRestoresAWholeStateIsShownInTheSameWay() {
    FsOp restore = new FsOp.RestoreState(new byte[] {1}, List.of());
    index++;
    visibilityGate
        .applied(
            Entries.of(index, restore).intent(intent(index)).entry(),
            new IndexedState(index - 1, state, state.root()),
            new IndexedState(index, state, state.root()))
        .run();
    visibilityGate.publish(0);
    assertEquals(List.of("expire all 1 at 1"), told);
    visibilityGate.dropped(1);
    visibilityGate.publish(0);
    assertEquals(List.of(2L), visible);
    assertEquals(List.of(), callersTold);
    visibilityGate.dropped(2);
    visibilityGate.publish(0);
    assertEquals(List.of(2L), callersTold);
  }

  @Test
  void whatWasAppliedBeforeIsShownFirstAndWhatIsAppliedAfterwardsBehind() {
    apply(new FsOp.CreateFile(FsState.ROOT, Y, 0644, 0, 0));
    jump(9);
    apply(new FsOp.Unlink(FsState.ROOT, Y));
    visibilityGate.publish(0);
    assertEquals(List.of(2L), visible);
    visibilityGate.dropped(1);
    visibilityGate.publish(0);
    assertEquals(List.of(2L, 9L), visible);
    assertEquals(List.of(2L), callersTold);
    visibilityGate.dropped(2);
    visibilityGate.publish(0);
    assertEquals(List.of(2L, 9L, 10L), visible);
  }

  private void jump(long to) {
    IndexedState before = new IndexedState(index, state, state.root());
    index = to;
    visibilityGate.replaced(before, new IndexedState(index, state, state.root()));
  }

  private void apply(FsOp op) {
    index++;
    NodeId newNode = new NodeId(7, index);
    IndexedState before = new IndexedState(index - 1, state, state.root());
    state = States.after(state, op, index, newNode);
    LogEntry entry =
        Entries.of(index, op)
            .intent(intent(index))
            .origin(new WorkerId("w"))
            .creating(newNode)
            .entry();
    visibilityGate.applied(entry, before, new IndexedState(index, state, state.root())).run();
  }

  private static IntentId intent(long number) {
    return new IntentId(new ClientId(1, 1), number);
  }

  private final class Caches implements KernelCaches {
    @Override
    public boolean isKnown(InodeNo inode) {
      return kept.contains("known " + inode);
    }

    @Override
    public void forEachKnown(BiConsumer<InodeNo, NodeId> inode) {
      kept.stream()
          .filter(what -> what.startsWith("known "))
          .sorted()
          .map(what -> new InodeNo(Long.parseLong(what.substring("known ".length()))))
          .toList()
          .forEach(number -> inode.accept(number, new NodeId(7, number.value() - 1)));
    }

    @Override
    public boolean takeAttributes(InodeNo inode) {
      return kept.remove("attributes " + inode);
    }

    @Override
    public boolean takeListing(InodeNo inode) {
      return kept.remove("listing " + inode);
    }

    @Override
    public void listingDropped(InodeNo inode) {
      kept.add("dropped listing " + inode);
    }

    @Override
    public boolean takeName(CachedName name) {
      return kept.remove("name " + name.directory() + " " + name.name());
    }

    @Override
    public boolean mayHavePages(InodeNo inode) {
      return kept.contains("pages " + inode);
    }

    @Override
    public boolean takePages(InodeNo inode) {
      return kept.remove("pages " + inode);
    }

    @Override
    public void noteName(CachedName name) {
      kept.add("name " + name.directory() + " " + name.name());
    }
  }

  private final class Shown implements ApplyListener {
    @Override
    public void applied(LogEntry entry, FsState before, FsState after) {
      visible.add(entry.index());
    }

    @Override
    public void replaced(IndexedState before, IndexedState after) {
      visible.add(after.index());
    }
  }

  private final class Calls implements LocalCalls {
    @Override
    public boolean isWaiting(IntentId intent) {
      return waitingCalls.contains(intent);
    }

    @Override
    public boolean isAnyWaiting() {
      return callsWait;
    }

    @Override
    public boolean mayHold(NodeId directory, FsState in, IntentId except) {
      return held;
    }

    @Override
    public boolean holds(NodeId directory, IntentId except) {
      return locked.stream()
          .anyMatch(lock -> lock.directory.equals(directory) && !lock.call.equals(except));
    }
  }

  private final class Notifier implements CacheNotifier {
    @Override
    public void dropListing(long ticket, InodeNo inode) {
      note("listing " + ticket + " " + inode);
    }

    private void note(String what) {
      told.add(what + " at " + visibilityGate.view().visible().index());
    }

    @Override
    public boolean dropAttributes(InodeNo inode) {
      note("attributes " + inode);
      return !unknownInodes.contains(inode);
    }

    @Override
    public void dropNames(long ticket, List<CachedName> dropped, List<CachedName> expired) {
      if (!dropped.isEmpty()) {
        note("names " + ticket + " " + plain(dropped));
      }
      if (!expired.isEmpty()) {
        note("expire " + ticket + " " + plain(expired));
      }
    }

    private List<Name> plain(List<CachedName> names) {
      return names.stream().map(CachedName::name).toList();
    }

    @Override
    public void loosenNames(long ticket, List<InodeNo> inodes, boolean missing) {
      note("loosen " + ticket + " " + inodes + (missing ? " and what is missing" : ""));
    }

    @Override
    public void dropContents(
        long ticket, List<InodeNo> attributes, List<PageRange> pages, @Nullable Growth growth) {
      List<String> ranges =
          pages.stream().map(p -> p.inode() + ":" + p.offset() + "+" + p.length()).toList();
      String grown = growth == null ? "" : " " + growth.inode() + " is " + growth.size();
      note("contents " + ticket + " " + attributes + " " + ranges + grown);
    }

    @Override
    public void followMoves(long ticket, List<MovedDirectory> moved) {
      List<String> places =
          moved.stream()
              .map(m -> m.inode() + " at " + m.place().directory() + "/" + m.place().name())
              .toList();
      note("follow " + ticket + " " + places);
    }

    @Override
    public void refreshOwner(long ticket, InodeNo inode) {
      note("owner " + ticket + " " + inode);
    }

    @Override
    public void expireAll(long ticket) {
      note("expire all " + ticket);
    }

    @Override
    public void followAll(long ticket, FsState before, FsState after) {
      note("follow all " + ticket);
    }

    @Override
    public void prune(List<InodeNo> inodes) {
      note("prune " + inodes);
    }
  }
}
