package io.hypersync.leader.scrub;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.scrub.ScrubReport.Kind;
import io.hypersync.leader.scrub.ScrubReport.Lost;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.snapshot.Snapshot;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Everything is read; what is bad is mended or lost, and hides nothing else. */
class ScrubRunTest {
  private static final int MANY = 3_000;
  private static final long SECOND_NS = 1_000_000_000L;

  private final RottingStore store = new RottingStore();

  @Test
  void everyPageAndChunkOfEverySnapshotIsReadOnce() throws Exception {
    Set<Hash> chunks = new HashSet<>();
    Set<Hash> pages = new HashSet<>();
    store.files("a", MANY);
    for (int i = 0; i < 3; i++) {
      store.remove("a" + i);
      var _ = store.file("new" + i, "new " + i);
      Snapshot snapshot = store.snapshot();
      chunks.addAll(store.all(snapshot, Kind.CHUNK));
      pages.addAll(store.all(snapshot, Kind.PAGE));
    }
    assertTrue(pages.size() > 20, pages.size() + " pages");
    ScrubReport report = store.scrub();
    assertEquals(chunks.size() + pages.size(), store.reads.size());
    assertEquals(chunks.size() + pages.size(), new HashSet<>(store.reads).size());
    assertEquals(chunks.size(), report.chunks());
    assertEquals(pages.size(), report.pages());
    assertEquals(3, report.snapshots());
    assertEquals(store.index(), report.headIndex());
    assertEquals(0, report.bad());
    assertTrue(report.isComplete());
    assertTrue(store.told.isEmpty());
    assertTrue(store.holdsNothing());
  }

  @Test
  void whatAWorkerHasIsMended() throws Exception {
    Hash rotten = store.file("f", "one");
    Hash missing = store.file("g", "two");
    store.snapshot();
    store.rotten.add(rotten);
    store.missing.add(missing);
    store.comesAtNs.put(rotten, 500_000_000L);
    store.comesAtNs.put(missing, 5 * SECOND_NS);
    ScrubReport report = store.scrub();
    assertEquals(2, report.bad());
    assertEquals(2, report.mended());
    assertEquals(0, report.lostCount());
    assertEquals(1, store.told.get(rotten), "at the first look");
    assertEquals(5, store.told.get(missing), "at each look");
    store.reads.clear();
    assertEquals(0, store.scrub().bad());
  }

  @Test
  void whatNobodyHasIsLostWhenThatIsKnown() throws Exception {
    Hash lost = store.file("f", "one");
    Snapshot snapshot = store.snapshot();
    store.rotten.add(lost);
    ScrubReport report = store.scrub();
    assertEquals(List.of(new Lost(Kind.CHUNK, lost, snapshot.index())), report.lost());
    assertEquals(1, report.lostCount());
    assertEquals(0, report.mended());
    assertTrue(report.isComplete());
    assertEquals(2 * SECOND_NS, store.clock.monotonicNs());
  }

  /** Recovery may have no room for a search, or a worker may not answer. */
  @Test
  void orWhenItHasBeenLookedForLongEnough() throws Exception {
    Hash lost = store.file("f", "one");
    store.snapshot();
    store.missing.add(lost);
    store.isRecoveryFull = true;
    assertEquals(1, store.scrub().lostCount());
    assertTrue(store.clock.monotonicNs() > ScrubRun.LONGEST_WAIT_NS, store.clock::toString);
    assertTrue(store.clock.monotonicNs() <= ScrubRun.LONGEST_WAIT_NS + 2 * ScrubRun.LOOK_NS);
    assertTrue(store.told.get(lost) > 35, store.told::toString);
  }

  @Test
  void whatComesAfterHalfAMinuteIsNotLost() throws Exception {
    Hash late = store.file("f", "one");
    store.snapshot();
    store.missing.add(late);
    store.comesAtNs.put(late, 39 * SECOND_NS);
    ScrubReport report = store.scrub();
    assertEquals(1, report.mended());
    assertEquals(0, report.lostCount());
  }

  /** One page after the other: all that not only it leads to is read. */
  @Test
  void aLostPageHidesNothingBesideIt() throws Exception {
    store.files("a", MANY);
    store.isHeadKnown = false;
    Snapshot snapshot = store.snapshot();
    for (Hash page : store.all(snapshot, Kind.PAGE)) {
      store.reads.clear();
      store.rotten.clear();
      store.rotten.add(page);
      ScrubReport report = store.scrub();
      assertEquals(List.of(new Lost(Kind.PAGE, page, snapshot.index())), report.lost());
      assertTrue(report.isComplete());
      Set<Hash> beside = new HashSet<>(store.all(snapshot, Kind.PAGE, page));
      beside.addAll(store.all(snapshot, Kind.CHUNK, page));
      assertEquals(beside, new HashSet<>(store.reads));
    }
  }

  @Test
  void whereAPageOfTheNewestStateIsLostTheStateInMemorySaysWhatThereIs() throws Exception {
    store.files("old", MANY);
    Hash gone = store.file("f", "one");
    Snapshot older = store.snapshot();
    store.remove("f");
    Hash lost = store.file("g", "two");
    Snapshot newest = store.snapshot();
    store.rotten.addAll(store.all(newest, Kind.PAGE));
    store.rotten.addAll(store.all(older, Kind.PAGE));
    store.missing.addAll(List.of(gone, lost));
    ScrubRun run = store.begin(10_000, 10_000);
    store.finish(run);
    assertEquals(Set.of(lost), run.lostChunks());
    assertTrue(store.reads.containsAll(store.all(newest, Kind.CHUNK)));
    assertFalse(store.reads.contains(gone), "only the older one has it");
    assertEquals(1, store.asksForHead);
    assertTrue(run.report().isComplete());
    assertTrue(store.holdsNothing());
  }

  @Test
  void whatIsBelowAMendedPageIsReadToo() throws Exception {
    store.files("a", MANY);
    Snapshot snapshot = store.snapshot();
    Set<Hash> pages = store.all(snapshot, Kind.PAGE);
    store.rotten.addAll(pages);
    pages.forEach(page -> store.comesAtNs.put(page, 0L));
    ScrubReport report = store.scrub();
    assertEquals(pages.size(), report.pages());
    assertEquals(MANY, report.chunks());
    assertEquals(pages.size(), report.bad());
    assertEquals(pages.size(), report.mended());
    assertTrue(store.reads.containsAll(store.all(snapshot, Kind.CHUNK)));
  }

  @Test
  void whatSeveralSnapshotsHaveIsLostOnce() throws Exception {
    store.files("a", MANY);
    Hash lost = store.file("f", "one");
    for (int i = 0; i < 3; i++) {
      var _ = store.file("more" + i, "more " + i);
      store.snapshot();
    }
    store.rotten.add(lost);
    // So little is remembered that all of it is come to again and again.
    ScrubRun run = store.begin(1, 1);
    store.finish(run);
    assertEquals(1, run.report().lostCount());
    assertEquals(1, run.report().bad());
    assertEquals(Set.of(lost), run.lostChunks());
    assertTrue(store.reads.size() > 2 * MANY, "others are read twice");
    assertEquals(store.index(), run.report().lost().getFirst().snapshot(), "the newest is named");
  }

  /** A file may have the bytes of a page. */
  @Test
  void aChunkWithTheBytesOfAPageDoesNotKeepThePageFromBeingRead() throws Exception {
    store.files("a", MANY);
    Snapshot first = store.snapshot();
    Set<Hash> pages = store.all(first, Kind.PAGE);
    Set<Hash> chunks = store.all(first, Kind.CHUNK);
    for (Hash page : pages) {
      byte[] bytes = store.chunks.getVerified(page);
      store.copyOf(bytes == null ? new byte[0] : bytes);
    }
    store.snapshot();
    ScrubReport report = store.scrub();
    assertTrue(report.chunks() >= chunks.size() + pages.size(), report::toString);
    assertTrue(new HashSet<>(store.reads).containsAll(chunks));
  }

  @Test
  void soManyAreLookedForAndThenTheWalkWaits() throws Exception {
    store.files("a", MANY);
    Snapshot snapshot = store.snapshot();
    store.missing.addAll(store.all(snapshot, Kind.CHUNK));
    store.missing.forEach(chunk -> store.comesAtNs.put(chunk, 20 * SECOND_NS));
    ScrubRun run = store.begin(10_000, 10_000);
    int most = 0;
    while (!run.isDone()) {
      store.clock.advance(run.step(store.clock.monotonicNs()));
      most = Math.max(most, run.report().waiting());
      if (store.clock.monotonicNs() < 20 * SECOND_NS) {
        assertTrue(store.told.size() <= ScrubRun.MAX_WAITING, store.told.size() + " told");
      }
    }
    assertEquals(ScrubRun.MAX_WAITING, most);
    assertEquals(MANY, run.report().mended());
    assertEquals(0, run.report().lostCount());
  }

  @Test
  void whereEverythingIsLostTheRunEnds() throws Exception {
    store.files("a", ScrubRun.MAX_LOST + 100);
    Snapshot snapshot = store.snapshot();
    store.missing.addAll(store.all(snapshot, Kind.CHUNK));
    ScrubReport report = store.scrub();
    assertEquals(ScrubRun.MAX_LOST, report.lostCount());
    assertEquals(ScrubRun.MAX_NAMED, report.lost().size());
    assertFalse(report.isComplete());
    assertTrue(store.holdsNothing());
  }

  /** Each one until what is bad in it is settled: else a collection would make it look lost. */
  @Test
  void oneSnapshotIsHeldAtATime() throws Exception {
    Hash late = store.file("f", "one");
    long first = store.snapshot().index();
    store.remove("f");
    long second = store.snapshot().index();
    store.missing.add(late);
    store.comesAtNs.put(late, 10 * SECOND_NS);
    ScrubRun run = store.begin(100, 100);
    while (store.clock.monotonicNs() < 5 * SECOND_NS) {
      store.clock.advance(run.step(store.clock.monotonicNs()));
    }
    assertEquals(List.of("+" + second, "-" + second, "+" + first), store.holds);
    store.finish(run);
    assertEquals("-" + first, store.holds.getLast());
    assertEquals(1, run.report().mended());
  }

  @Test
  void aSnapshotThatIsRemovedMeanwhileIsPassedOver() throws Exception {
    var _ = store.file("f", "one");
    long first = store.snapshot().index();
    store.remove("f");
    store.snapshot();
    ScrubRun run = store.begin(100, 100);
    store.snapshots.remove(first);
    store.finish(run);
    assertEquals(1, run.report().snapshots());
    assertTrue(run.report().isComplete());
  }

  @Test
  void whoEndsItHoldsNothing() throws Exception {
    store.files("a", 10);
    store.snapshot();
    ScrubRun run = store.begin(100, 100);
    for (int i = 0; i < 5; i++) {
      assertEquals(0, run.step(0));
    }
    assertFalse(store.holdsNothing());
    run.end();
    run.end();
    assertTrue(store.holdsNothing());
    assertTrue(run.isDone());
    assertFalse(run.report().isComplete());
  }

  /** Also for what is read in vain, and again. */
  @Test
  void everyReadIsPaidFor() throws Exception {
    Hash damaged = store.file("f", "one");
    Hash missing = store.file("g", "two");
    store.snapshot();
    store.scrub();
    long before = store.spent;
    assertEquals(store.reads.size() * 4_096L, before, "small ones count as a block");
    store.rotten.add(damaged);
    store.missing.add(missing);
    store.scrub();
    // Each is read when it is found, and after one and two seconds.
    assertEquals(before + 3 * ChunkRef.MAX_LENGTH + 2 * 4_096 - 4_096, store.spent - before);
  }

  @Test
  void aStoreThatCannotTellEndsIt() throws Exception {
    var _ = store.file("f", "one");
    store.snapshot();
    store.failsWith = Errno.EAGAIN;
    assertThrows(ChunkStoreException.class, store::scrub);
    assertTrue(store.told.isEmpty());
  }

  @Test
  void aPageThatIsIntactAndNoPageIsLost() throws Exception {
    store.files("a", MANY);
    Snapshot snapshot = store.snapshot();
    Hash page = store.all(snapshot, Kind.PAGE).iterator().next();
    store.replaced.put(page, new byte[] {1, 2, 3});
    ScrubReport report = store.scrub();
    assertEquals(List.of(new Lost(Kind.PAGE, page, snapshot.index())), report.lost());
    assertTrue(report.isComplete());
    assertTrue(store.told.isEmpty(), "no other copy would be better");
  }
}
