package io.hypersync.model.trie;

import static io.hypersync.model.trie.RootVersion.LATEST;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.codec.CanonicalReader;
import io.hypersync.model.codec.CanonicalWriter;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is in no snapshot, as it is counted, beside what a measurement finds. */
class DirtyMemoryTest {
  private static final int HEAP_PER_BYTE = 4;
  private static final int KEYS = 20_000;

  private final PageStore store = new PageStore();
  private MerkleTrie<TestLeaf> trie = MerkleTrie.empty();

  /**
   * Snapshots are taken of a state while newer ones come about, so some pages are dirty in both.
   * The count is never lower than what a measurement finds, but for the ends of pages that come to
   * be, and a measurement makes it exact.
   */
  @ParameterizedTest(name = "seed {0}, {1} bytes in memory")
  @CsvSource({"1, 9000000", "2, 9000000", "3, 60000", "4, 60000", "5, 1"})
  void itIsNeverLessThanWhatIsMeasured(long seed, long memory) throws Exception {
    Random random = new Random(seed);
    PageCache cache = cache(memory);
    DirtyMemory dirty = cache.dirty();
    for (int snapshot = 0; snapshot < 40; snapshot++) {
      change(random, dirty, random.nextInt(2_000));
      MerkleTrie<TestLeaf> taken = trie;
      PageWriter writer = PageWriter.incremental(LATEST, store, cache);
      writer.trie(new CanonicalWriter(64), taken, 0);
      change(random, dirty, random.nextInt(200));
      String where = "seed " + seed + " snapshot " + snapshot;
      check(dirty, where + " while it is taken");
      if (random.nextInt(4) == 0) {
        writer.undo();
      } else {
        writer.finished();
      }
      check(dirty, where);
      long before = dirty.bytes();
      long measured = measured();
      change(random, dirty, random.nextInt(200));
      long since = dirty.bytes() - before;
      cache.measured(before, measured);
      assertEquals(HEAP_PER_BYTE * measured + since, dirty.bytes(), where);
      check(dirty, where + " after it was measured");
    }
    assertTrue(memory > 60_000 || cache.drops() > 0, "nothing was dropped");
  }

  @Test
  void whatWasSavedIsNotDirty() throws Exception {
    PageCache cache = cache(1 << 20);
    change(new Random(1), cache.dirty(), 5_000);
    long before = cache.dirty().bytes();
    PageWriter writer = PageWriter.incremental(LATEST, store, cache);
    writer.trie(new CanonicalWriter(64), trie, 0);
    assertTrue(measured() > 0, "it is not durable yet");
    writer.finished();
    assertEquals(0, measured());
    cache.measured(before, measured());
    assertEquals(0, cache.dirty().bytes());
    DirtyMemory dirty = cache.dirty();
    var _ = trie.with(new TestLeaf(key(2), 1));
    var _ = dirty.counting(() -> trie.with(new TestLeaf(key(3), 1)));
    assertFalse(dirty.isWithin(1_000, 0), "its page, and those above");
    assertEquals(0, dirty.bytes(), "nobody has adopted it");
    trie = dirty.counting(() -> trie.with(new TestLeaf(key(1), 1)));
    dirty.adopted(0);
    assertTrue(cache.dirty().bytes() > 0, "its page, and those above");
    assertTrue(cache.dirty().bytes() < 200_000, cache.dirty().bytes() + " bytes for one leaf");
  }

  @ParameterizedTest(name = "{0} MiB in the cache, limit {1} MiB: a snapshot is due beyond {2} MiB")
  @CsvSource({
    "1024, 4096, 256", // a quarter of the cache
    "1024,  300, 150", // half of the limit
    "   1, 4096,  16", // however small the cache is
  })
  void aSnapshotIsDueBeforeTheStateTakesTooMuch(long cacheMib, long limitMib, long muchMib) {
    DirtyMemory dirty = cache(cacheMib << 20).dirty();
    dirty.adopted(muchMib << 20);
    assertFalse(dirty.isMuch(limitMib << 20));
    dirty.adopted(1);
    assertTrue(dirty.isMuch(limitMib << 20));
  }

  /** The state takes about what the cache may take, also while much of it is in no snapshot. */
  @ParameterizedTest(name = "{0} KiB are dirty: {1} KiB at most of what can be dropped")
  @CsvSource({"0, 1024", "512, 512", "5000, 256"})
  void whatIsDirtyTakesRoomFromWhatCanBeDropped(long dirtyKib, long mostKib) {
    PageCache cache = cache(1 << 20);
    change(new Random(1), cache.dirty(), 2 * KEYS);
    PageWriter writer = PageWriter.incremental(LATEST, store, cache);
    writer.trie(new CanonicalWriter(64), trie, 0);
    writer.finished();
    cache.measured(cache.dirty().bytes(), 0);
    cache.dirty().adopted(dirtyKib << 10);
    for (int i = 0; i < KEYS; i++) {
      var _ = trie.get(TrieKey.of(key(i)));
    }
    assertTrue(cache.bytes() <= mostKib << 10, () -> cache.bytes() + " bytes");
    assertTrue(cache.bytes() >= mostKib << 9, () -> "hardly anything: " + cache.bytes());
  }

  @Test
  void withoutALimitAllOfTheStateCounts() {
    DirtyMemory dirty = cache(Long.MAX_VALUE).dirty();
    assertFalse(dirty.isSavable());
    dirty.begins(1_000);
    dirty.adopted(30);
    dirty.adopted(-20);
    dirty.measured(1_010, 0);
    assertEquals(1_010, dirty.bytes());
  }

  private void check(DirtyMemory dirty, String where) {
    long measured = HEAP_PER_BYTE * measured();
    assertTrue(
        dirty.bytes() >= measured - measured / 32,
        where + ": " + dirty.bytes() + ", not " + measured);
  }

  private long measured() {
    PageWriter measured = PageWriter.measuring(LATEST);
    measured.trie(new CanonicalWriter(64), trie, 0);
    return measured.bytes();
  }

  private void change(Random random, DirtyMemory dirty, int changes) {
    for (int i = 0; i < changes; i++) {
      TestLeaf leaf = new TestLeaf(key(random.nextInt(KEYS)), random.nextInt());
      int size = trie.size();
      trie = dirty.counting(() -> changed(random, leaf));
      dirty.adopted(trie.size() > size ? HEAP_PER_BYTE * 64L : 0);
    }
    var _ = trie.root(LATEST);
  }

  private MerkleTrie<TestLeaf> changed(Random random, TestLeaf leaf) {
    if (trie.size() <= 2 || random.nextInt(3) > 0) {
      return trie.with(leaf);
    }
    if (random.nextBoolean()) { // as a write does with extents
      byte[] end = leaf.bytes();
      end[end.length - 1] = 1;
      return trie.withoutRange(leaf.key(), TrieKey.of(end));
    }
    return trie.get(leaf.key()) == null ? trie : trie.without(leaf.key());
  }

  private static byte[] key(int number) {
    CanonicalWriter out = new CanonicalWriter(24);
    out.u64(number * 0x9e3779b97f4a7c15L).u64(number).u64(0);
    return out.toBytes();
  }

  private PageCache cache(long memory) {
    return new PageCache(
        store,
        _ -> (LeafReader<TestLeaf>) (CanonicalReader in, PageReader _) -> TestLeaf.readPage(in),
        memory,
        true);
  }
}
