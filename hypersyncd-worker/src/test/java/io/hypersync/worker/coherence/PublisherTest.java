package io.hypersync.worker.coherence;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.OpId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.FsOp.SetAttributes;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.FsStateMachine;
import io.hypersync.model.state.Outcome;
import io.hypersync.model.state.Stamp;
import io.hypersync.worker.port.CacheNotifier;
import io.hypersync.worker.replica.Published;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** When an entry becomes visible, and what the kernel is told before (docs/kernel-caching.md). */
class PublisherTest {
  private static final long ROOT = 1;
  private static final long FILE = 2;
  private static final NodeId FILE_ID = new NodeId(7, 1);
  private static final Name X = Name.of("x");
  private static final Name Y = Name.of("y");
  private static final long MS = 1_000_000;

  private final Set<String> kept = new HashSet<>();
  private final List<String> told = new ArrayList<>();
  private final List<Long> visible = new ArrayList<>();
  private final List<Long> callersTold = new ArrayList<>();
  private final Set<Long> unknownInodes = new HashSet<>();
  private final Set<IntentId> waitingCalls = new HashSet<>();
  private final Set<Lock> locked = new HashSet<>();
  private boolean held;
  private FsState state = FsState.genesis();
  private long index;
  private final Publisher publisher =
      new Publisher(
          new Published(0, state, state.root()),
          new Caches(),
          new Notifier(),
          new Calls(),
          (entry, _, _) -> visible.add(entry.index()),
          (entry, _, _) -> callersTold.add(entry.index()));

  /** A directory that a call which is unanswered has locked. */
  private record Lock(NodeId directory, IntentId call) {}

  PublisherTest() {
    apply(new FsOp.CreateFile(FsState.ROOT, X, 0644, 0, 0));
    publisher.publish(0);
    visible.clear();
    callersTold.clear();
  }

  @Test
  void whatTheKernelHasNothingOfIsVisibleAtOnce() {
    apply(new FsOp.CreateFile(FsState.ROOT, Y, 0644, 0, 0));
    apply(new FsOp.Unlink(FsState.ROOT, Y));
    assertEquals(2, publisher.publish(0));
    assertEquals(List.of(2L, 3L), visible);
    assertEquals(List.of(), told);
  }

  @Test
  void attributesAreTakenBackBeforeAndAtOnce() {
    kept.addAll(List.of("attributes 1", "attributes 2"));
    apply(new FsOp.Truncate(FILE_ID, 5, false));
    publisher.publish(0);
    assertEquals(List.of("attributes 2 at 1"), told);
    assertEquals(List.of(2L), visible);
    assertTrue(kept.contains("attributes 1"), "the directory's have not changed");
  }

  @Test
  void anInodeThatTheKernelHasNotYetHeardOfIsWaitedFor() {
    kept.add("attributes 2");
    unknownInodes.add(FILE);
    apply(new FsOp.Truncate(FILE_ID, 5, false));
    publisher.publish(0);
    assertEquals(List.of("attributes 2 at 1", "contents 1 [2] [] at 1"), told);
    assertEquals(List.of(), visible);
    assertFalse(publisher.view().keepsAttributes(FILE), "nothing of it may be kept meanwhile");
    publisher.publish(10_000 * MS);
    assertEquals(List.of(), visible, "however long that takes");
    publisher.dropped(1);
    publisher.publish(10_000 * MS);
    assertEquals(List.of(2L), visible);
    assertTrue(publisher.view().keepsAttributes(FILE));
  }

  @Test
  void namesAreWaitedForAndNothingLaterOvertakes() {
    kept.add("name 1 x");
    apply(new FsOp.Rename(FsState.ROOT, X, FsState.ROOT, Y, RenameMode.REPLACE));
    apply(new FsOp.Truncate(FILE_ID, 5, false));
    publisher.publish(0);
    assertEquals(List.of("names 1 [x] at 1"), told);
    assertEquals(List.of(), visible);
    assertEquals(1, publisher.view().published().index());
    assertFalse(publisher.view().keepsName(ROOT, X));
    assertFalse(publisher.view().keepsName(ROOT, Y));
    publisher.dropped(1);
    publisher.publish(0);
    assertEquals(List.of(2L, 3L), visible);
  }

  @Test
  void whenACallHereMayHoldTheDirectoryAllNamesAreDistrustedInstead() {
    kept.add("name 1 x");
    held = true;
    apply(new FsOp.Unlink(FsState.ROOT, X));
    publisher.publish(0);
    assertEquals(List.of("names 1 [x] at 1", "distrust"), told);
    assertEquals(List.of(2L), visible);
    assertEquals(1, publisher.namesDistrusted());
  }

  @Test
  void whenNamesTakeTooLongAllAreDistrustedInstead() {
    kept.add("name 1 x");
    apply(new FsOp.Unlink(FsState.ROOT, X));
    publisher.publish(0);
    assertEquals(List.of(), visible);
    publisher.publish(5 * MS);
    assertEquals(List.of("names 1 [x] at 1", "distrust"), told);
    assertEquals(List.of(2L), visible);
    publisher.dropped(1);
    kept.add("name 1 y");
    apply(new FsOp.CreateFile(FsState.ROOT, Y, 0644, 0, 0));
    publisher.publish(5 * MS);
    assertEquals("names 2 [y] at 2", told.getLast());
    assertEquals(1, publisher.namesDistrusted());
  }

  @Test
  void ofAnOwnCallTheNamesAreExpiredAfterwardsAndTheNextEntryWaitsForThat() {
    kept.add("name 1 x");
    waitingCalls.add(intent(2));
    apply(new FsOp.Rename(FsState.ROOT, X, FsState.ROOT, Y, RenameMode.REPLACE));
    apply(new FsOp.Truncate(FILE_ID, 5, false));
    publisher.publish(0);
    assertEquals(List.of(2L), callersTold);
    assertEquals(1, publisher.settled(), "the kernel is not through");
    assertEquals(List.of("expire 1 [x, y] at 2"), told);
    assertTrue(kept.contains("name 1 y"), "where it went the kernel keeps it for as long");
    publisher.dropped(1);
    publisher.publish(0);
    assertEquals(List.of(2L, 3L), visible);
  }

  /** It got the lock from the call before, whose caller is through then. */
  @Test
  void ofAnOwnCallNobodyWaitsForTheNamesOnceAnotherCallHasTheDirectoryLocked() {
    kept.add("name 1 x");
    waitingCalls.add(intent(2));
    apply(new FsOp.Unlink(FsState.ROOT, X));
    apply(new FsOp.CreateFile(FsState.ROOT, Y, 0644, 0, 0));
    locked.add(new Lock(FsState.ROOT, intent(2)));
    publisher.publish(0);
    assertEquals(1, publisher.settled(), "its own lock proves nothing");
    locked.add(new Lock(FsState.ROOT, intent(4)));
    held = true;
    publisher.publish(0);
    assertEquals(3, publisher.settled());
    assertEquals(List.of("expire 1 [x] at 2"), told);
    assertEquals(0, publisher.namesDistrusted());
  }

  /** The kernel leaves its names as they were then, and they are wrong until it is told. */
  @Test
  void ofAnOwnCallWhoseCallerWasToldThatNobodyKnowsNoLockProvesAnything() {
    kept.addAll(List.of("name 1 x", "attributes 2"));
    unknownInodes.add(FILE);
    waitingCalls.add(intent(2));
    apply(new FsOp.Unlink(FsState.ROOT, X));
    publisher.publish(0);
    assertEquals(1, publisher.settled());
    waitingCalls.clear(); // its time is over
    publisher.dropped(1);
    locked.add(new Lock(FsState.ROOT, intent(3)));
    held = true;
    publisher.publish(0);
    assertEquals("distrust", told.getLast());
    assertEquals(2, publisher.settled());
  }

  @Test
  void aCallThatOnlyWaitsForTheDirectoryProvesNothing() {
    kept.add("name 1 x");
    waitingCalls.add(intent(2));
    held = true; // an fsync of it, say
    apply(new FsOp.Unlink(FsState.ROOT, X));
    publisher.publish(0);
    assertEquals(List.of("expire 1 [x] at 2", "distrust"), told);
  }

  @Test
  void ofAMoveBothDirectoriesMustBeLockedByOthers() {
    NodeId directory = new NodeId(7, 2);
    apply(new FsOp.MakeDir(FsState.ROOT, Y, 0755, 0, 0));
    publisher.publish(0);
    kept.add("name 1 x");
    waitingCalls.add(intent(3));
    apply(new FsOp.Rename(FsState.ROOT, X, directory, X, RenameMode.REPLACE));
    publisher.publish(0);
    locked.add(new Lock(FsState.ROOT, intent(9)));
    publisher.publish(0);
    assertEquals(2, publisher.settled());
    locked.add(new Lock(directory, intent(9)));
    publisher.publish(0);
    assertEquals(3, publisher.settled());
    assertEquals(0, publisher.namesDistrusted());
  }

  @Test
  void namesOfAnotherEntryAreDroppedBesideOnesThatHaveToWait() {
    kept.addAll(List.of("name 1 x", "name 1 y"));
    apply(new FsOp.Unlink(FsState.ROOT, X));
    publisher.publish(0);
    publisher.publish(5 * MS);
    assertEquals(List.of("names 1 [x] at 1", "distrust"), told);
    apply(new FsOp.CreateFile(FsState.ROOT, Y, 0644, 0, 0));
    publisher.publish(5 * MS);
    assertEquals(List.of(2L), visible);
    publisher.dropped(2);
    publisher.publish(5 * MS);
    assertEquals(List.of(2L, 3L), visible);
    assertEquals(1, publisher.namesDistrusted());
  }

  @Test
  void whenTooManyDropsWaitAllNamesAreDistrustedAtOnce() {
    Name last = Name.of("last");
    for (int i = 0; i <= Publisher.MAX_OVERTAKEN; i++) {
      Name name = i == Publisher.MAX_OVERTAKEN ? last : Name.of("n" + i);
      kept.add("name 1 " + name);
      apply(new FsOp.CreateFile(FsState.ROOT, name, 0644, 0, 0));
      publisher.publish(0);
      if (i < Publisher.MAX_OVERTAKEN) {
        publisher.publish(5 * MS);
      }
    }
    assertEquals(Publisher.MAX_OVERTAKEN + 1, publisher.namesDistrusted());
    assertEquals(Publisher.MAX_OVERTAKEN + 1, visible.size(), "nothing is waited for");
    assertTrue(told.getLast().contains(" [last] at "), told.getLast());
  }

  @Test
  void aDirectoryThatHasMovedElsewhereIsTakenOutOfItsOldPlaceThoughItsNameIsNotKept() {
    apply(new FsOp.MakeDir(FsState.ROOT, Y, 0755, 0, 0));
    apply(new FsOp.MakeDir(FsState.ROOT, Name.of("d"), 0755, 0, 0));
    assertEquals(2, publisher.publish(0));
    kept.add("known 3");
    apply(new FsOp.Rename(FsState.ROOT, Y, new NodeId(7, 3), X, RenameMode.REPLACE));
    publisher.publish(0);
    assertEquals(List.of("names 1 [y, x] at 3"), told);
  }

  @Test
  void aDirectoryThatIsRemovedIsTakenOutWithAllBelowItThoughItsNameIsNotKept() {
    apply(new FsOp.MakeDir(FsState.ROOT, Y, 0755, 0, 0));
    publisher.publish(0);
    kept.add("known 3");
    apply(new FsOp.RemoveDir(FsState.ROOT, Y));
    publisher.publish(0);
    assertEquals(List.of("names 1 [y] at 2"), told);
  }

  @Test
  void aDirectoryThatAnotherOneReplacesIsTakenOutToo() {
    apply(new FsOp.MakeDir(FsState.ROOT, Y, 0755, 0, 0));
    apply(new FsOp.MakeDir(FsState.ROOT, Name.of("d"), 0755, 0, 0));
    assertEquals(2, publisher.publish(0));
    kept.add("known 3");
    apply(new FsOp.Rename(FsState.ROOT, Name.of("d"), FsState.ROOT, Y, RenameMode.REPLACE));
    publisher.publish(0);
    assertEquals(List.of("names 1 [d, y] at 3"), told);
  }

  @Test
  void anMtimeSetByHandTakesThePagesBackFirst() {
    kept.add("pages 2");
    apply(new SetAttributes(FILE_ID, SetAttributes.MTIME, 0, 0, 0, 77));
    publisher.publish(0);
    assertEquals(List.of("contents 1 [] [2:0+0] at 1"), told);
    assertEquals(List.of(), visible);
    publisher.dropped(1);
    publisher.publish(0);
    assertEquals(List.of(2L), visible);
  }

  @Test
  void pagesAreDroppedWhenTheEntryIsVisibleAndBeforeACallerIsToldOrTheNextEntryIsTaken() {
    kept.add("pages 2");
    waitingCalls.add(intent(2));
    apply(new FsOp.Truncate(FILE_ID, 0, false));
    apply(new FsOp.Unlink(FsState.ROOT, X));
    publisher.publish(0);
    assertEquals(List.of("contents 1 [] [2:0+0] at 2"), told);
    assertEquals(List.of(2L), visible);
    assertEquals(List.of(), callersTold);
    assertEquals(1, publisher.settled());
    assertTrue(kept.contains("pages 2"), "others than these may be there still");
    publisher.dropped(1);
    publisher.publish(0);
    assertEquals(List.of(2L, 3L), callersTold);
    assertEquals(3, publisher.settled());
  }

  @Test
  void aListingThatIsOpenIsDroppedBeforeTheEntryIsVisibleButNotWaitedForForever() {
    kept.add("listing 1");
    apply(new FsOp.Unlink(FsState.ROOT, X));
    publisher.publish(0);
    assertEquals(List.of("listing 1 1 at 1"), told);
    publisher.publish(10_000_000);
    assertEquals(List.of(), visible, "however long it takes");
    assertFalse(kept.contains("dropped listing 1"));
    publisher.dropped(1);
    assertTrue(kept.contains("dropped listing 1"));
    publisher.publish(0);
    assertEquals(List.of(2L), visible);

    kept.add("listing 1");
    apply(new SetAttributes(FsState.ROOT, SetAttributes.MTIME, 0, 0, 0, 5));
    publisher.publish(0);
    assertEquals(List.of(2L), visible);
    kept.remove("dropped listing 1");
    publisher.heldUp(2); // whoever reads it does not get on
    publisher.publish(0);
    assertEquals(List.of(2L, 3L), visible);
    assertFalse(kept.contains("dropped listing 1"), "it is not dropped yet");
    publisher.dropped(2);
    assertTrue(kept.contains("dropped listing 1"));
  }

  /** To drop it the kernel would wait for the reader, with all others behind. */
  @Test
  void aMissingNameThatComesToBeWhereAListingIsReadIsAskedForAgainWithAllOthers() {
    kept.addAll(List.of("listing 1", "name 1 y", "name 1 z"));
    apply(new FsOp.CreateFile(FsState.ROOT, Y, 0644, 0, 0));
    publisher.publish(0);
    assertEquals(List.of("distrust", "listing 1 1 at 1"), told);
    publisher.heldUp(1); // the reader does not get on
    publisher.publish(0);
    assertEquals(List.of(2L), visible);
    told.clear();
    apply(new FsOp.CreateFile(FsState.ROOT, Name.of("z"), 0644, 0, 0));
    publisher.publish(0);
    assertEquals(List.of("distrust"), told, "still being read");
    assertEquals(List.of(2L, 3L), visible);
    publisher.dropped(1);
    kept.add("name 1 a");
    apply(new FsOp.CreateFile(FsState.ROOT, Name.of("a"), 0644, 0, 0));
    told.clear();
    publisher.publish(0);
    assertEquals(List.of("names 2 [a] at 3"), told, "nobody reads it any more");
  }

  @Test
  void anotherOwnerHasAllNamesWalkedAgain() {
    kept.add("known 2");
    apply(new SetAttributes(FILE_ID, SetAttributes.UID, 0, 0, 0, 0));
    publisher.publish(0);
    assertEquals(List.of(), told, "the same owner");
    apply(new SetAttributes(FILE_ID, SetAttributes.UID, 0, 1000, 0, 0));
    publisher.publish(0);
    assertEquals(List.of("distrust"), told);
    assertTrue(kept.contains("distrusted"));
  }

  private void apply(FsOp op) {
    index++;
    Stamp stamp = new Stamp(index, new NodeId(7, index));
    Published before = new Published(index - 1, state, state.root());
    if (!(FsStateMachine.apply(state, op, stamp) instanceof Outcome.Applied(FsState after))) {
      throw new AssertionError(op + " is not possible");
    }
    state = after;
    LogEntry entry =
        new LogEntry(
            index,
            new OpId(1, index),
            index,
            intent(index),
            new WorkerId("w"),
            "",
            op,
            stamp.newNode(),
            Hash.ZERO,
            new byte[0],
            new byte[0]);
    publisher.applied(entry, before, new Published(index, state, state.root()));
  }

  private static IntentId intent(long number) {
    return new IntentId(new ClientId(1, 1), number);
  }

  private final class Caches implements KernelCaches {
    @Override
    public boolean isKnown(long inode) {
      return kept.contains("known " + inode);
    }

    @Override
    public boolean takeAttributes(long inode) {
      return kept.remove("attributes " + inode);
    }

    @Override
    public boolean takeListing(long inode) {
      return kept.remove("listing " + inode);
    }

    @Override
    public void listingDropped(long inode) {
      kept.add("dropped listing " + inode);
    }

    @Override
    public boolean takeName(CachedName name) {
      return kept.remove("name " + name.directory() + " " + name.name());
    }

    @Override
    public boolean mayHavePages(long inode) {
      return kept.contains("pages " + inode);
    }

    @Override
    public boolean takePages(long inode) {
      return kept.remove("pages " + inode);
    }

    @Override
    public void namesDistrusted() {
      kept.add("distrusted");
    }

    @Override
    public void noteName(CachedName name) {
      kept.add("name " + name.directory() + " " + name.name());
    }
  }

  private final class Calls implements LocalCalls {
    @Override
    public boolean isWaiting(IntentId intent) {
      return waitingCalls.contains(intent);
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
    public void dropListing(long ticket, long inode) {
      note("listing " + ticket + " " + inode);
    }

    private void note(String what) {
      told.add(what + " at " + publisher.view().published().index());
    }

    @Override
    public boolean dropAttributes(long inode) {
      note("attributes " + inode);
      return !unknownInodes.contains(inode);
    }

    @Override
    public void dropNames(long ticket, List<CachedName> names, boolean expire) {
      List<Name> plain = names.stream().map(CachedName::name).toList();
      note((expire ? "expire " : "names ") + ticket + " " + plain);
    }

    @Override
    public void dropContents(long ticket, List<Long> attributes, List<PageRange> pages) {
      List<String> ranges =
          pages.stream().map(p -> p.inode() + ":" + p.offset() + "+" + p.length()).toList();
      note("contents " + ticket + " " + attributes + " " + ranges);
    }

    @Override
    public void distrustNames() {
      told.add("distrust");
    }

    @Override
    public void prune(List<Long> inodes) {
      note("prune " + inodes);
    }
  }
}
