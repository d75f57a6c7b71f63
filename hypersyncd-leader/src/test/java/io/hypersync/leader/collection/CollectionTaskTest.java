package io.hypersync.leader.collection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.CollectionRun;
import io.hypersync.leader.port.CollectionReport;
import io.hypersync.leader.port.CollectionReport.Kind;
import io.hypersync.leader.port.CollectionReport.Pin;
import io.hypersync.leader.port.HeldState;
import io.hypersync.leader.port.LogKeeper;
import io.hypersync.leader.port.LogKeeper.Reason;
import io.hypersync.leader.port.PinNotes;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.StateChunks;
import io.hypersync.model.trie.PageReader;
import io.hypersync.model.trie.PageVisitor;
import io.hypersync.model.trie.PageWalker;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotReader;
import io.hypersync.snapshot.StoredPages;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * What is alive stays, what is dead goes, and what cannot be read ends a run (hypersync.md 14.2).
 */
class CollectionTaskTest {
  private final Collected leader = new Collected();
  private final NodeId file = leader.create("f");

  @Test
  void whatNothingNeedsGoes() throws IOException {
    Hash first = leader.write(file, "first");
    Hash second = leader.write(file, "second");
    leader.snapshot();
    leader.collect(leader.index());
    assertFalse(leader.has(first));
    assertTrue(leader.has(second));
    assertEquals(leader.index(), leader.marked);
  }

  /** The newest snapshot and the log behind it have it all; so nothing else would notice. */
  @Test
  void theStateItselfIsMarked() throws IOException {
    Hash content = leader.write(file, "content");
    Hash attribute = leader.attribute(file, "value");
    NodeId open = leader.create("open");
    Hash orphan = leader.write(open, "in an unlinked file");
    leader.commit(new FsOp.Unlink(FsState.ROOT, Name.of("open")));
    assertNotNull(leader.state().node(open), "it is an orphan");
    leader.collect(leader.index()); // no snapshot, and no entry
    assertTrue(leader.has(content));
    assertTrue(leader.has(attribute));
    assertTrue(leader.has(orphan));
  }

  @Test
  void whatOnlyFilesWithoutANameHaveCountsForThem() throws IOException {
    leader.write(file, "shared");
    NodeId open = leader.create("open");
    Hash own = leader.write(open, "in an unlinked file");
    leader.write(open, "shared");
    NodeId other = leader.create("other");
    leader.write(other, "in an unlinked file");
    long unlinked = leader.commit(new FsOp.Unlink(FsState.ROOT, Name.of("open")));
    leader.commit(new FsOp.Unlink(FsState.ROOT, Name.of("other")));
    leader.notes = new PinNotes(LogKeeper.SNAPSHOT, "a,b", 0);
    assertEquals(
        new Pin(Kind.OPEN, 0, "a,b", unlinked, "in an unlinked file".length()), pin(Kind.OPEN));
    assertTrue(leader.has(own));
    leader.snapshot();
    assertEquals(0, pin(Kind.OPEN).bytes(), "its content would not go with it");
  }

  /** Their nodes are in pages, and so is what the larger one has. */
  @Test
  void theyAreMarkedWhereverTheyAre() throws Exception {
    NodeId open = leader.create("open");
    Hash small = leader.write(open, "in an unlinked file");
    NodeId large = leader.create("large");
    List<Hash> pieces = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      pieces.add(leader.write(large, "piece " + i, i * 100L));
      leader.create("a rather long name of a file " + i);
    }
    leader.commit(new FsOp.Unlink(FsState.ROOT, Name.of("open")));
    leader.commit(new FsOp.Unlink(FsState.ROOT, Name.of("large")));
    leader.forget(leader.snapshot());
    long bytes = pieces.stream().mapToLong(leader.chunks::length).sum();
    assertTrue(pin(Kind.OPEN).bytes() >= bytes + "in an unlinked file".length());
    for (int i = 0; i < 2; i++) { // the second run finds what the first one has left
      leader.collect(leader.index());
      assertTrue(leader.has(small));
      for (Hash piece : pieces) {
        assertTrue(leader.has(piece));
      }
      requireWhole(leader.state());
    }
  }

  @Test
  void whatKeepsTheLogIsNamedWithTheTimeOfTheOldestEntry() throws IOException {
    leader.write(file, "first");
    leader.write(file, "again");
    leader.write(file, "third");
    leader.notes = new PinNotes(new LogKeeper(Reason.WORKER, "b"), "", 0);
    CollectionTask task = leader.begin(leader.roots(1, true));
    while (task.step()) {}
    assertEquals(
        new Pin(Kind.LOG, 1, "b", 2, "firstagain".length(), Reason.WORKER),
        pin(task.result(0), Kind.LOG));
    assertEquals(0, pin(Kind.LOG).sinceNs(), "no entry is kept");
  }

  /** What a run finds that keeps nothing of the log. */
  private Pin pin(Kind kind) throws IOException {
    CollectionTask task = leader.begin(leader.roots(leader.index(), true));
    while (task.step()) {}
    return pin(task.result(0), kind);
  }

  private static Pin pin(CollectionReport report, Kind kind) {
    return report.pins().stream().filter(each -> each.kind() == kind).findFirst().orElseThrow();
  }

  @Test
  void whatASnapshotHasStays() throws Exception {
    Hash content = leader.write(file, "old");
    Hash attribute = leader.attribute(file, "old value");
    Snapshot snapshot = leader.snapshot();
    leader.write(file, "new");
    leader.attribute(file, "new value");
    leader.collect(leader.index());
    assertTrue(leader.has(content));
    assertTrue(leader.has(attribute));
    assertNotNull(SnapshotReader.verify(snapshot, leader.chunks, Collected.WORKSPACE));
    leader.catalog.remove(snapshot.index());
    leader.known.remove(snapshot.index());
    leader.collect(leader.index());
    assertFalse(leader.has(content));
    assertFalse(leader.has(attribute));
  }

  @Test
  void whatAMountedStateOfThePastHasStays() throws Exception {
    Hash content = leader.write(file, "old");
    Hash attribute = leader.attribute(file, "old value");
    Snapshot mounted = leader.snapshot();
    leader.catalog.remove(mounted.index());
    leader.known.remove(mounted.index());
    leader.pasts.add(new HeldState(mounted, "a,b"));
    leader.write(file, "new");
    leader.attribute(file, "new value");
    CollectionTask task = leader.begin(leader.roots(leader.index(), false));
    while (task.step()) {}
    CollectionReport report = task.result(0);
    assertTrue(leader.has(content));
    assertTrue(leader.has(attribute));
    assertNotNull(SnapshotReader.verify(mounted, leader.chunks, Collected.WORKSPACE));
    Pin pin = pin(report, Kind.MOUNTED);
    assertEquals("a,b", pin.name());
    assertEquals(mounted.index(), pin.index());
    assertTrue(pin.bytes() >= "old".length() + "old value".length(), pin::toString);
    leader.pasts.clear();
    leader.collect(leader.index());
    assertFalse(leader.has(content));
    assertFalse(leader.has(attribute));
  }

  @Test
  void aMountedStateThatCannotBeReadEndsTheCollectionAndIsNamed() throws Exception {
    Collected other = new Collected();
    for (int i = 0; i < 300; i++) {
      other.create("file-" + i);
    }
    Snapshot mounted = other.snapshot(); // its pages are not here
    Hash dead = leader.put("dead").hash();
    leader.pasts.add(new HeldState(mounted, "a"));
    IOException failure = assertThrows(IOException.class, () -> leader.collect(leader.index()));
    assertTrue(
        String.valueOf(failure.getMessage())
            .contains("the state of entry " + mounted.index() + ", which is mounted (a), cannot"),
        failure::toString);
    assertTrue(leader.has(dead));
  }

  @Test
  void whatEntriesBehindTheMarkMentionStays() throws IOException {
    Hash before = leader.write(file, "one");
    long after = leader.index();
    Hash behind = leader.write(file, "two");
    leader.write(file, "three");
    leader.collect(after);
    assertFalse(leader.has(before));
    assertTrue(leader.has(behind));
    assertEquals(after, leader.marked);
  }

  @Test
  void whatIntentsRelyOnStays() throws IOException {
    Hash promised = leader.put("on its way").hash();
    Hash other = leader.put("of nobody").hash();
    leader.collect(leader.index(), promised);
    assertTrue(leader.has(promised));
    assertFalse(leader.has(other));
  }

  @Test
  void entriesThatAreNotDurableYetAreWaitedFor() throws IOException {
    CollectionTask task = leader.begin(leader.roots(0, false));
    Hash late = leader.write(file, "late"); // put after the beginning
    while (task.step()) {}
    assertTrue(leader.has(late));
  }

  /** Else a crash in the middle of the sweep would leave a log that nobody can explain. */
  @Test
  void whatMayBeGoneIsSaidBeforeAnythingGoes() throws IOException {
    leader.write(file, "first");
    leader.write(file, "second");
    leader.snapshot();
    long before = leader.chunks.stats().approximateChunks();
    leader.collect(leader.index());
    assertEquals(List.of("said 3 with " + before + " chunks"), leader.events);
    assertTrue(leader.chunks.stats().approximateChunks() < before);
  }

  @Test
  void ifThatCannotBeSaidNothingGoes() throws IOException {
    Hash dead = leader.put("dead").hash();
    leader.markFails = true;
    assertThrows(IOException.class, () -> leader.collect(leader.index()));
    assertTrue(leader.has(dead));
    assertNoRunIsUnderWay();
  }

  @Test
  void aDryRunChangesNothing() throws IOException {
    Hash dead = leader.put("dead").hash();
    CollectionTask task = leader.begin(leader.roots(leader.index(), true));
    while (task.step()) {}
    assertTrue(leader.has(dead));
    assertEquals(0, leader.marked);
    CollectionReport report = task.result(7);
    assertTrue(report.isDryRun());
    assertEquals("dead".length(), report.deadBytes());
    assertNoRunIsUnderWay();
  }

  /**
   * Its record could not be read when the leader started, so the leader does not know it; now it is
   * readable again, and complete.
   */
  @Test
  void aSnapshotThatTheLeaderHasNotSeenEndsTheRun() throws Exception {
    Hash content = leader.write(file, "old");
    Snapshot unseen = leader.snapshot();
    leader.known.clear();
    leader.write(file, "new");
    leader.snapshot();
    IOException ended = assertThrows(IOException.class, () -> leader.collect(leader.index()));
    assertTrue(
        ended.getMessage().contains("the snapshot of entry 2 was not there"), ended::getMessage);
    assertTrue(leader.has(content));
    assertNotNull(SnapshotReader.verify(unseen, leader.chunks, Collected.WORKSPACE));
    assertEquals(0, leader.marked);
    assertNoRunIsUnderWay();
  }

  @Test
  void aSnapshotThatIsPutThereBeforeTheSweepEndsTheRun() throws IOException {
    Hash content = leader.write(file, "old");
    Snapshot moved = leader.snapshot();
    leader.catalog.clear();
    leader.known.clear();
    leader.write(file, "new");
    CollectionTask task = leader.begin(leader.roots(leader.index(), false));
    while (task.progress().startsWith("marking")) {
      assertTrue(task.step());
    }
    leader.catalog.put(moved.index(), moved);
    assertThrows(IOException.class, task::step);
    assertTrue(leader.has(content));
  }

  /** Nobody reads it, so nobody knows what it needs: it may be the copy of a snapshot. */
  @Test
  void aFileThatMayBeASnapshotEndsTheRun() throws IOException {
    Hash content = leader.write(file, "old");
    leader.write(file, "new");
    leader.strays.add("snapshots/copy.snapshot");
    IOException ended = assertThrows(IOException.class, () -> leader.collect(leader.index()));
    assertTrue(
        ended.getMessage().startsWith("snapshots/copy.snapshot has the name of no snapshot"),
        ended::getMessage);
    assertTrue(leader.has(content));
    assertEquals(0, leader.marked);
    assertNoRunIsUnderWay();
    leader.strays.clear();
    leader.collect(leader.index());
    assertFalse(leader.has(content));
  }

  /** It leaves out what the snapshot before has, and asks the store for the rest. */
  @Test
  void aSnapshotThatIsTakenDuringTheRunIsWhole() throws Exception {
    for (int i = 0; i < 300; i++) {
      leader.create("a rather long name of a file " + i);
    }
    leader.snapshot();
    CollectionTask task = leader.begin(leader.roots(leader.index(), false));
    leader.create("another one");
    Snapshot later = leader.snapshot();
    while (task.step()) {}
    assertNotNull(SnapshotReader.verify(later, leader.chunks, Collected.WORKSPACE));
  }

  @Test
  void aPageThatCannotBeReadEndsTheRun() throws Exception {
    for (int i = 0; i < 300; i++) {
      leader.create("a rather long name of a file " + i);
    }
    Snapshot older = leader.snapshot();
    leader.create("another one");
    Snapshot newest = leader.snapshot();
    Hash dead = leader.put("dead").hash();
    List<Hash> ofBoth = pages(newest);
    Hash ofOlder =
        pages(older).stream().filter(page -> !ofBoth.contains(page)).findFirst().orElseThrow();
    refusesToCollectWithout(ofOlder, "the snapshot of entry 301 cannot be read");
    refusesToCollectWithout(ofBoth.getLast(), "the snapshot of entry 302 cannot be read");
    assertTrue(leader.has(dead));
  }

  private void refusesToCollectWithout(Hash page, String why) {
    byte[] bytes = Objects.requireNonNull(leader.chunks.get(page));
    leader.chunks.put(page, new byte[] {1});
    IOException ended = assertThrows(IOException.class, () -> leader.collect(leader.index()));
    assertTrue(ended.getMessage().startsWith(why), ended::getMessage);
    assertNoRunIsUnderWay();
    leader.chunks.put(page, bytes);
  }

  @Test
  void anEntryThatWasTrimmedEndsTheRun() throws IOException {
    Hash content = leader.write(file, "content");
    leader.write(file, "more");
    leader.log.trim(2);
    IOException ended = assertThrows(IOException.class, () -> leader.collect(0));
    assertTrue(ended.getMessage().contains("entry 1 was removed"), ended::getMessage);
    assertTrue(leader.has(content));
  }

  @Test
  void eachChunkCountsForTheFirstThatKeepsIt() throws IOException {
    leader.write(file, "0123456789");
    Snapshot old = leader.snapshot();
    leader.write(file, "abcdefghijklmnopqrst");
    leader.snapshot();
    leader.write(file, "u".repeat(30));
    leader.write(file, "v".repeat(40));
    CollectionTask task = leader.begin(leader.roots(3, true, leader.put("on its way").hash()));
    while (task.step()) {}
    Map<String, Long> bytes =
        task.result(0).pins().stream()
            .collect(Collectors.toMap(pin -> pin.kind() + " " + pin.index(), Pin::bytes));
    assertEquals(10, bytes.get(Kind.UPLOADS + " 0"));
    assertEquals(30, bytes.get(Kind.LOG + " 3"), "the head has the other one");
    assertEquals(20, bytes.get(Kind.SNAPSHOT + " 3"));
    assertEquals(10, bytes.get(Kind.SNAPSHOT + " " + old.index()));
  }

  /** All that is reachable, however it is reached, for many states and snapshots. */
  @Test
  void everythingOfEveryStateAndSnapshotStays() throws Exception {
    List<NodeId> files = new ArrayList<>(List.of(file));
    for (int i = 0; i < 400; i++) {
      switch (i % 5) {
        case 0 -> files.add(leader.create("file " + i));
        case 1 -> leader.attribute(files.get(i % files.size()), "value " + i);
        default -> leader.write(files.get(i * 7 % files.size()), "content " + i);
      }
      if (i % 40 == 39) {
        leader.snapshot();
      }
      if (i % 100 == 99) {
        long after = leader.catalog.lastKey();
        leader.collect(after);
        requireWhole(leader.state());
        for (Snapshot snapshot : leader.catalog.values()) {
          requireWhole(
              Manifest.read(
                      snapshot.manifest(),
                      Collected.WORKSPACE,
                      PageReader::verifying,
                      new StoredPages(leader.chunks, RateLimit.NONE))
                  .state());
        }
      }
    }
  }

  private void requireWhole(FsState state) {
    for (var node : state.nodes()) {
      StateChunks.forEach(node, chunk -> assertTrue(leader.chunks.contains(chunk)));
    }
  }

  private List<Hash> pages(Snapshot snapshot) throws Exception {
    List<Hash> pages = new ArrayList<>();
    PageWalker walker =
        new PageWalker(
            new StoredPages(leader.chunks, RateLimit.NONE),
            new PageVisitor() {
              @Override
              public boolean page(Hash page) {
                pages.add(page);
                return true;
              }

              @Override
              public void chunk(Hash chunk) {}
            });
    Manifest.walk(snapshot.manifest(), Collected.WORKSPACE, walker);
    while (walker.step()) {}
    return pages;
  }

  private void assertNoRunIsUnderWay() {
    try (CollectionRun run = leader.chunks.beginCollection()) {
      assertNotNull(run);
    }
  }
}
