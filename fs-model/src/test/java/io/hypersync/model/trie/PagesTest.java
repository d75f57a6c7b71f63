package io.hypersync.model.trie;

import static io.hypersync.model.trie.RootVersion.LATEST;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.codec.CanonicalReader;
import io.hypersync.model.codec.CanonicalWriter;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tries as pages (hypersync.md 13.1). */
class PagesTest {
  private static final int KIND = 7;
  private static final int LEAVES = 5_000;

  @Test
  void theEmptyTrieIsOneByte() throws Exception {
    PageStore store = new PageStore();
    byte[] record = complete(MerkleTrie.empty(), store);
    assertArrayEquals(new byte[] {0}, record);
    assertTrue(read(record, store).isEmpty());
    assertTrue(store.pages().isEmpty());
  }

  @ParameterizedTest(name = "{0} leaves, seed {1}")
  @CsvSource({"1, 1", "2, 2", "40, 3", "300, 4", "5000, 5", "5000, 6", "60000, 7"})
  void whatIsWrittenCanBeRead(int leaves, long seed) throws Exception {
    MerkleTrie<TestLeaf> trie = random(new Random(seed), leaves);
    PageStore store = new PageStore();
    byte[] record = complete(trie, store);
    assertEquals(PageBounds.trieBytes(trie), record.length);
    MerkleTrie<TestLeaf> again = read(record, store);
    assertSame(trie, again);
    assertArrayEquals(record, complete(again, new PageStore()), "written from what was read");
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void equalTriesHaveEqualPagesWhateverTheirHistory(long seed) {
    Random random = new Random(seed);
    MerkleTrie<TestLeaf> trie = random(random, LEAVES);
    MerkleTrie<TestLeaf> other = MerkleTrie.empty();
    List<TestLeaf> leaves = new ArrayList<>();
    trie.forEach(leaves::add);
    Collections.shuffle(leaves, random);
    for (TestLeaf leaf : leaves) {
      other = other.with(new TestLeaf(key(random), 1)).with(leaf);
    }
    for (TestLeaf leaf : other) {
      other = trie.get(leaf.key()) == null ? other.without(leaf.key()) : other;
    }
    PageStore store = new PageStore();
    PageStore otherStore = new PageStore();
    assertArrayEquals(complete(trie, store), complete(other, otherStore));
    assertEquals(store.pages().keySet(), otherStore.pages().keySet());
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3})
  void pagesAreNeitherTooLargeNorTooSmall(long seed) {
    PageStore store = new PageStore();
    complete(random(new Random(seed), LEAVES), store);
    assertTrue(store.pages().size() > 10);
    long sum = 0;
    for (byte[] page : store.pages().values()) {
      assertTrue(page.length <= PageBounds.PAGE_BYTES + 2, page.length + " bytes");
      assertTrue(page.length > PageBounds.INLINE_BYTES, page.length + " bytes");
      sum += page.length;
    }
    assertTrue(sum / store.pages().size() > PageBounds.PAGE_BYTES / 4, "mean of all pages");
  }

  /**
   * A replica writes snapshot after snapshot, and between them everything is deleted that the
   * newest one does not have. So a page which the writer wrongly takes for stored is missed at
   * once, and so is one that a node needs whose children were dropped. Another trie with the same
   * leaves is always whole in memory.
   */
  @ParameterizedTest(name = "seed {0}, {1} bytes in memory")
  @MethodSource("memories")
  void aSnapshotAfterAnotherLeavesOutOnlyWhatIsStored(long seed, long memory) throws Exception {
    Random random = new Random(seed);
    PageStore store = new PageStore();
    PageCache cache = cache(store, memory);
    MerkleTrie<TestLeaf> trie = random(random, 400);
    MerkleTrie<TestLeaf> whole = MerkleTrie.empty();
    long drops = 0;
    for (TestLeaf leaf : trie) {
      whole = whole.with(leaf);
    }
    for (int snapshot = 0; snapshot < 60; snapshot++) {
      String where = "seed " + seed + " snapshot " + snapshot;
      int changes = random.nextInt(10) == 0 ? 400 : random.nextInt(30);
      boolean shrinks = random.nextInt(3) == 0;
      for (int i = 0; i < changes; i++) {
        if (shrinks && trie.size() > 2) {
          TrieKey gone = closest(trie, random).key();
          trie = trie.without(gone);
          whole = whole.without(gone);
        } else {
          TestLeaf leaf = new TestLeaf(key(random), random.nextInt());
          trie = trie.with(leaf);
          whole = whole.with(leaf);
        }
        assertEquals(whole.root(LATEST), trie.root(LATEST), where);
      }
      PageWriter writer = PageWriter.incremental(LATEST, store, cache);
      byte[] record = record(trie, writer);
      if (random.nextInt(4) == 0) {
        writer.undo(); // as if the disk were full: the newest snapshot stays the one before
        continue;
      }
      writer.finished();
      assertArrayEquals(complete(whole, new PageStore()), record, where);
      assertSame(whole, read(record, store));
      store.keepOnlyRead();
      if (random.nextInt(8) == 0) {
        drops += cache.drops();
        cache = cache(store, memory);
        trie = read(record, cache.reader(LATEST)); // a start from the newest snapshot
      }
      assertSame(whole, trie);
      assertArrayEquals(complete(whole, new PageStore()), complete(trie, new PageStore()), where);
    }
    assertTrue(memory == Long.MAX_VALUE || drops + cache.drops() > 0, "nothing was dropped");
    assertTrue(cache.bytes() <= memory, cache.bytes() + " bytes in memory");
  }

  static Stream<Arguments> memories() {
    return LongStream.rangeClosed(1, 10)
        .boxed()
        .flatMap(
            seed ->
                LongStream.of(Long.MAX_VALUE, 60_000, 1)
                    .mapToObj(memory -> Arguments.of(seed, memory)));
  }

  /** Unlike a read of the store, one of the cache does not count as a use of the page. */
  private static PageCache cache(PageStore store, long memory) {
    return new PageCache(
        page -> {
          byte[] bytes = store.pages().get(page);
          if (bytes == null) {
            throw new PageMissingException(page, "was deleted");
          }
          return bytes;
        },
        _ -> (LeafReader<TestLeaf>) (in, _) -> TestLeaf.readPage(in),
        memory,
        true);
  }

  @Test
  void whatIsNotInMemoryIsReadWhenItIsNeeded() throws Exception {
    PageStore store = new PageStore();
    MerkleTrie<TestLeaf> trie = random(new Random(1), 60_000);
    byte[] record = complete(trie, store);
    PageCache cache = cache(store, 1L << 30);
    MerkleTrie<TestLeaf> lazy = read(record, cache.reader(LATEST));
    assertEquals(trie.root(LATEST), lazy.root(LATEST));
    assertEquals(0, cache.reads(), "the manifest says it");
    TestLeaf some = closest(trie, new Random(2));
    assertEquals(some.key(), lazy.get(some.key()).key());
    assertTrue(cache.reads() <= 4, cache.reads() + " pages for one leaf");
    lazy.get(some.key());
    assertTrue(cache.reads() <= 4, "it is in memory now");
    long read = cache.reads();
    int leaves = 0;
    for (TestLeaf leaf : lazy) {
      assertEquals(leaf.key(), trie.get(leaf.key()).key());
      leaves++;
    }
    assertEquals(trie.size(), leaves);
    assertTrue(cache.reads() > read);
    assertEquals(store.pages().size(), cache.pages());
  }

  /** What is used stays; the rest goes. */
  @Test
  void whatNobodyAsksForIsDroppedFirst() throws Exception {
    PageStore store = new PageStore();
    MerkleTrie<TestLeaf> trie = random(new Random(1), 60_000);
    byte[] record = complete(trie, store);
    PageCache cache = cache(store, 600_000);
    MerkleTrie<TestLeaf> lazy = read(record, cache.reader(LATEST));
    TestLeaf hot = closest(trie, new Random(2));
    long hotReads = 0;
    int leaves = 0;
    for (TestLeaf leaf : lazy) {
      long before = cache.reads();
      assertEquals(hot.key(), lazy.get(hot.key()).key());
      hotReads += cache.reads() - before;
      assertEquals(leaf.key(), trie.get(leaf.key()).key());
      leaves++;
    }
    assertEquals(trie.size(), leaves);
    assertTrue(cache.drops() > store.pages().size() / 2, cache.drops() + " dropped");
    assertTrue(hotReads < 20, hotReads + " reads of what is used all the time");
    assertTrue(cache.bytes() <= 600_000, cache.bytes() + " bytes");
  }

  @Test
  void aPageThatCannotBeReadIsNamedAndAskedForAgain() throws Exception {
    PageStore store = new PageStore();
    MerkleTrie<TestLeaf> trie = random(new Random(1), 2_000);
    byte[] record = complete(trie, store);
    MerkleTrie<TestLeaf> lazy = read(record, cache(store, 1).reader(LATEST));
    for (Hash page : Set.copyOf(store.pages().keySet())) {
      byte[] bytes = store.pages().remove(page);
      PageUnreadableException missing =
          assertThrows(PageUnreadableException.class, () -> lazy.forEach(_ -> {}));
      assertEquals(page, missing.page());
      store.pages().put(page, bytes);
    }
    assertSame(trie, lazy);
    int leaves = 0;
    for (TestLeaf _ : lazy) {
      leaves++;
    }
    assertEquals(trie.size(), leaves);
  }

  /** Readers of any thread, while others make it forget. */
  @Test
  void threadsReadTheSameTrie() throws Exception {
    PageStore store = new PageStore();
    MerkleTrie<TestLeaf> trie = random(new Random(1), 5_000);
    byte[] record = complete(trie, store);
    Map<Hash, byte[]> pages = new ConcurrentHashMap<>(store.pages());
    PageCache cache =
        new PageCache(
            pages::get, _ -> (LeafReader<TestLeaf>) (in, _) -> TestLeaf.readPage(in), 1, true);
    MerkleTrie<TestLeaf> lazy = read(record, cache.reader(LATEST));
    List<Thread> threads = new ArrayList<>();
    List<Throwable> failures = new CopyOnWriteArrayList<>();
    for (int i = 0; i < 4; i++) {
      Random random = new Random(i);
      Thread thread =
          Thread.ofPlatform()
              .unstarted(
                  () -> {
                    for (int look = 0; look < 3_000; look++) {
                      TestLeaf leaf = closest(trie, random);
                      assertEquals(leaf.key(), lazy.get(leaf.key()).key());
                    }
                  });
      thread.setUncaughtExceptionHandler((_, e) -> failures.add(e));
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(List.of(), failures);
    assertTrue(cache.drops() > 0);
  }

  @Test
  void aChangeOfOneLeafWritesThePagesAboveItOnly() {
    PageStore store = new PageStore();
    MerkleTrie<TestLeaf> trie = random(new Random(1), 60_000);
    PageCache cache = cache(store, Long.MAX_VALUE);
    record(trie, PageWriter.incremental(LATEST, store, cache));
    PageWriter writer = PageWriter.incremental(LATEST, store, cache);
    record(trie.with(new TestLeaf(new byte[] {1, 2, 3, 4}, 5)), writer);
    assertTrue(writer.pages() <= 5, writer.pages() + " of " + store.pages().size() + " pages");
  }

  /** A directory may have such names: each key is a prefix of the next one, and one bit longer. */
  @Test
  void aTrieMayBeAsDeepAsAKeyHasBits() throws Exception {
    MerkleTrie<TestLeaf> trie = MerkleTrie.empty();
    byte[] all = new byte[255];
    Arrays.fill(all, (byte) 0xff);
    for (int length = 1; length <= all.length; length++) {
      for (int bit = 0; bit < 8; bit++) {
        byte[] key = Arrays.copyOf(all, length);
        key[length - 1] &= (byte) ~(1 << bit);
        trie = trie.with(new TestLeaf(key, bit));
      }
    }
    assertTrue(trie.depth() > 2_000);
    PageStore store = new PageStore();
    byte[] record = complete(trie, store);
    assertSame(trie, read(record, store));
    store.pages().values().forEach(page -> assertTrue(page.length <= PageBounds.PAGE_BYTES + 2));
  }

  @Test
  void aPageThatIsMissingIsNamed() {
    PageStore store = new PageStore();
    byte[] record = complete(random(new Random(1), LEAVES), store);
    for (Hash page : Set.copyOf(store.pages().keySet())) {
      byte[] bytes = store.pages().remove(page);
      PageMissingException missing =
          assertThrows(PageMissingException.class, () -> read(record, store));
      assertEquals(page, missing.page());
      store.pages().put(page, bytes);
    }
  }

  @Test
  void aPageThatIsNotWhatItShouldBeIsRefused() {
    PageStore store = new PageStore();
    byte[] record = complete(random(new Random(1), LEAVES), store);
    Hash page = store.pages().keySet().iterator().next();
    byte[] right = store.pages().get(page);
    assertRefused("an unknown format", record, store, page, with(right, 0, 2));
    assertRefused("another kind", record, store, page, with(right, 1, KIND + 1));
    assertRefused("a leaf", record, store, page, new byte[] {1, KIND, 1, 0, 0, 0, 0, 0, 1, 7});
    assertRefused("cut short", record, store, page, Arrays.copyOf(right, right.length - 1));
    assertRefused("a byte more", record, store, page, Arrays.copyOf(right, right.length + 1));
    assertRefused("another bit", record, store, page, with(right, 4, right[4] ^ 1));
    assertRefused("another value", record, store, page, with(right, right.length - 9, 0x55));
    assertRefused("an unknown tag", record, store, page, with(right, 5, 9));
  }

  private static void assertRefused(
      String what, byte[] record, PageStore store, Hash page, byte[] wrong) {
    byte[] right = store.pages().put(page, wrong);
    assertThrows(DecodeException.class, () -> read(record, store), what);
    store.pages().put(page, right);
  }

  private static byte[] with(byte[] bytes, int at, int value) {
    byte[] changed = bytes.clone();
    changed[at] = (byte) value;
    return changed;
  }

  private static byte[] complete(MerkleTrie<TestLeaf> trie, PageStore store) {
    return record(trie, PageWriter.complete(LATEST, store));
  }

  private static byte[] record(MerkleTrie<TestLeaf> trie, PageWriter writer) {
    CanonicalWriter out = new CanonicalWriter(64);
    writer.trie(out, trie, KIND);
    return out.toBytes();
  }

  private static MerkleTrie<TestLeaf> read(byte[] record, PageStore store)
      throws DecodeException, PageMissingException {
    return read(record, PageReader.verifying(LATEST, store));
  }

  private static MerkleTrie<TestLeaf> read(byte[] record, PageReader reader)
      throws DecodeException, PageMissingException {
    CanonicalReader in = new CanonicalReader(record);
    MerkleTrie<TestLeaf> trie = reader.trie(in, KIND, (leaf, _) -> TestLeaf.readPage(leaf));
    in.finish();
    return trie;
  }

  private static void assertSame(MerkleTrie<TestLeaf> expected, MerkleTrie<TestLeaf> actual) {
    assertEquals(expected.root(LATEST), actual.root(LATEST));
    assertEquals(expected.size(), actual.size());
    assertEquals(expected.depth(), actual.depth());
  }

  private static MerkleTrie<TestLeaf> random(Random random, int leaves) {
    MerkleTrie<TestLeaf> trie = MerkleTrie.empty();
    for (int i = 0; i < leaves; i++) {
      trie = trie.with(new TestLeaf(key(random), random.nextInt()));
    }
    return trie;
  }

  private static TestLeaf closest(MerkleTrie<TestLeaf> trie, Random random) {
    TestLeaf leaf = trie.floor(TrieKey.of(key(random)));
    return leaf == null ? trie.iterator().next() : leaf;
  }

  /** Mostly short keys, sometimes long ones with a common start. */
  private static byte[] key(Random random) {
    byte[] key = new byte[random.nextInt(20) == 0 ? 100 + random.nextInt(155) : 4];
    random.nextBytes(key);
    if (key.length > 4) {
      Arrays.fill(key, 0, 50, (byte) 9);
    }
    return key;
  }
}
