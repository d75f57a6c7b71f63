package io.hypersync.leader.history;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.Entries;
import io.hypersync.fixtures.States;
import io.hypersync.leader.MemoryOpLog;
import io.hypersync.leader.oplog.OpLogFullException;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.StatePages;
import io.hypersync.model.state.StateWeight;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageReader;
import io.hypersync.model.trie.PageSource;
import io.hypersync.model.trie.PageWriter;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.snapshot.Snapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** States of the past from snapshots and a log, whose entries are ten apart in time. */
class PastStatesTest {
  private static final WorkspaceId WORKSPACE = new WorkspaceId(1, 2);
  private static final int LAST = 300;

  private final MemoryOpLog log = new MemoryOpLog();
  private final List<FsState> states = new ArrayList<>(List.of(FsState.genesis()));
  private final List<Snapshot> snapshots = new ArrayList<>();
  private final Map<Hash, byte[]> pages = new HashMap<>();
  private int pagesRead;

  @BeforeEach
  void history() throws OpLogFullException {
    for (int i = 1; i <= LAST; i++) {
      FsOp op =
          i % 3 == 0
              ? new FsOp.Unlink(FsState.ROOT, Name.of("a rather long name " + (i - 1)))
              : new FsOp.CreateFile(FsState.ROOT, Name.of("a rather long name " + i), 0644, 0, 0);
      NodeId node = new NodeId(1, i + 1);
      FsState next = States.after(states.getLast(), op, 10L * i, node);
      states.add(next);
      log.append(
          i, Entries.of(i, op).at(10L * i).creating(node).root(next.root()).encoded(), false);
    }
    log.sync();
    snapshot(100);
    snapshot(200);
  }

  private void snapshot(int index) {
    FsState state = states.get(index);
    byte[] manifest =
        new Manifest(WORKSPACE, index, 10L * index, StateWeight.of(state), state)
            .write(
                PageWriter.complete(
                    state.version(),
                    page -> {
                      pages.put(Blake3.hash(page), page);
                      return Blake3.hash(page);
                    }))
            .bytes();
    snapshots.add(new Snapshot(index, 0, 0, 0, false, "", manifest));
  }

  private PastStates past(long bytes) {
    PageSource source =
        page -> {
          pagesRead++;
          byte[] found = pages.get(page);
          if (found == null) {
            throw new PageMissingException(page, "is missing");
          }
          return found;
        };
    return new PastStates(
        log,
        WORKSPACE,
        source,
        new PastStates.Newest(states.get(LAST), LAST, 10L * LAST, snapshots),
        new HeapAllowance(bytes, "more heap"),
        () -> {});
  }

  private PastStates past() {
    return past(Long.MAX_VALUE);
  }

  private String refused(long index) {
    UserError refused = assertThrows(UserError.class, () -> past().both(index, LAST));
    return refused.message() + "; " + refused.hint();
  }

  private void requireAll(int from) throws IOException {
    for (int index : new int[] {0, 1, 99, 100, 101, 150, 200, 250, LAST}) {
      if (index >= from) {
        PastStates.Two two = past().both(index, LAST - 5);
        assertEquals(states.get(index).root(), two.first().root(), "entry " + index);
        assertEquals(states.get(LAST - 5).root(), two.second().root(), "beside " + index);
        assertEquals(
            states.get(index).root(), past().both(LAST - 5, index).second().root(), "turned");
      }
    }
  }

  @Test
  void everyStateIsMadeAgain() throws IOException {
    requireAll(0);
  }

  @Test
  void theEntriesBehindAnotherSnapshotAreNotNeeded() throws IOException {
    var _ = log.trim(200);
    requireAll(200);
    PastStates.Two two = past().both(100, 200);
    assertEquals(states.get(100).root(), two.first().root());
    assertEquals(states.get(200).root(), two.second().root());
  }

  @Test
  void whatIsNotThereIsNamedWithWhatIs() {
    var _ = log.trim(200);
    assertEquals(
        "entry 150 is not there any more: the log begins with entry 201; The snapshot before it is"
            + " that of entry 100, the next one that of entry 200.",
        refused(150));
    assertEquals(
        "entry 7 is not there any more: the log begins with entry 201; The oldest state that is"
            + " there is that of entry 100.",
        refused(7));
    assertEquals("there is no entry 301 yet; The newest one is entry 300.", refused(301));
  }

  @Test
  void aDamagedSnapshotIsPassedOverIfTheLogHasTheEntries() throws IOException {
    pages.clear();
    requireAll(0);
    var _ = log.trim(150);
    assertTrue(refused(100).startsWith("the snapshot of entry 100 is damaged"), refused(100));
  }

  @Test
  void aStateNearTheNewestOneCostsFewPages() throws Exception {
    snapshot(LAST - 1);
    var _ = past().both(LAST - 1, LAST);
    int beside = pagesRead;
    pagesRead = 0;
    var _ =
        Manifest.read(
            snapshots.getLast().manifest(),
            WORKSPACE,
            PageReader::verifying,
            page -> {
              pagesRead++;
              return Objects.requireNonNull(pages.get(page));
            });
    assertTrue(beside < pagesRead, beside + " of " + pagesRead);
  }

  @Test
  void aManifestOfThePastIsTheOneThatASnapshotWouldHave() throws IOException {
    for (int index : new int[] {1, 100, 150, 200, 299, LAST}) {
      int before = snapshots.size();
      snapshot(index);
      byte[] taken = snapshots.removeLast().manifest();
      assertEquals(before, snapshots.size());
      PageWriter writer = PageWriter.complete(states.get(index).version(), Blake3::hash);
      assertArrayEquals(taken, past().manifest(index).write(writer).bytes(), "entry " + index);
    }
  }

  /** What the newest snapshot has is not written again, and no mark is left behind. */
  @Test
  void besideTheNewestStateLittleIsWritten() throws Exception {
    snapshot(LAST);
    Snapshot newest = snapshots.getLast();
    PageCache cache = new PageCache(pages::get, StatePages::leaves, Long.MAX_VALUE, true);
    FsState head =
        Manifest.read(
                newest.manifest(), WORKSPACE, (version, _) -> cache.reader(version), cache.source())
            .state();
    PastStates past =
        new PastStates(
            log,
            WORKSPACE,
            pages::get,
            new PastStates.Newest(head, LAST, 10L * LAST, snapshots),
            new HeapAllowance(Long.MAX_VALUE, ""),
            () -> {});
    Manifest state = past.manifest(LAST - 2);
    List<Hash> written = new ArrayList<>();
    Manifest.Written first =
        state.write(
            PageWriter.beside(
                head.version(),
                page -> {
                  written.add(Blake3.hash(page));
                  return written.getLast();
                },
                cache));
    List<Hash> all = new ArrayList<>();
    Manifest.Written whole =
        state.write(
            PageWriter.complete(
                head.version(),
                page -> {
                  all.add(Blake3.hash(page));
                  return all.getLast();
                }));
    assertArrayEquals(whole.bytes(), first.bytes());
    assertTrue(written.size() < all.size(), written.size() + " of " + all.size());
    assertTrue(all.containsAll(written));
    Set<Hash> there = new HashSet<>(written);
    there.addAll(pages.keySet());
    assertTrue(there.containsAll(all), "all are there");
    List<Hash> again = new ArrayList<>();
    var _ =
        state.write(
            PageWriter.beside(
                head.version(),
                page -> {
                  again.add(Blake3.hash(page));
                  return again.getLast();
                },
                cache));
    assertEquals(written, again, "no page counts as stored because it was written here");
  }

  @Test
  void memoryIsBounded() {
    UserError refused = assertThrows(UserError.class, () -> past(2_000).both(50, LAST));
    assertEquals("more heap", refused.hint());
  }

  @Test
  void timesLeadToTheLastEntryBeforeThem() throws IOException {
    assertEquals(0, past().indexAt(9));
    assertEquals(1, past().indexAt(10));
    assertEquals(1, past().indexAt(19));
    assertEquals(LAST - 1, past().indexAt(10L * LAST - 1));
    assertEquals(LAST, past().indexAt(10L * LAST));
    assertEquals(LAST, past().indexAt(Long.MAX_VALUE));
    var _ = log.trim(200);
    assertEquals(201, past().indexAt(2_010));
    assertEquals(200, past().indexAt(2_009));
    assertThrows(UserError.class, () -> past().indexAt(1_999));
  }
}
