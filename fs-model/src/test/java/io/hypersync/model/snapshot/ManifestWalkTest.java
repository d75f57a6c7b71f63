package io.hypersync.model.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.codec.HostileBytes;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.StateChunks;
import io.hypersync.model.state.StateWeight;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageStore;
import io.hypersync.model.trie.PageVisitor;
import io.hypersync.model.trie.PageWalker;
import io.hypersync.model.trie.PageWriter;
import io.hypersync.model.trie.RootVersion;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a walk over a manifest visits (hypersync.md 14.2). */
class ManifestWalkTest {
  private static final WorkspaceId WORKSPACE = new WorkspaceId(1, 2);

  /** Remembers everything; goes into a page once. */
  private static final class Visited implements PageVisitor {
    private final Set<Hash> pages = new HashSet<>();
    private final Set<Hash> chunks = new HashSet<>();

    @Override
    public boolean page(Hash page) {
      return pages.add(page);
    }

    @Override
    public void chunk(Hash chunk) {
      chunks.add(chunk);
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void itVisitsWhatTheStateHasAndNothingElse(long seed) throws Exception {
    LargeHistory history = new LargeHistory(seed);
    for (int ops : new int[] {0, 1, 20, 300, 2_000, 3_000}) {
      history.run(ops);
      PageStore store = new PageStore();
      byte[] manifest = write(history, store);
      Visited visited = new Visited();
      int read = walk(manifest, store, visited);
      String where = "seed " + seed + " index " + history.index();
      assertEquals(store.pages().keySet(), visited.pages, where);
      assertEquals(chunks(history.state()), visited.chunks, where);
      assertEquals(visited.pages.size(), read, where + ": each page is read once");
    }
  }

  /** Snapshot after snapshot, with one visitor: what they share is read once. */
  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {5, 6, 7})
  void pagesThatAreKnownAreNotReadAgain(long seed) throws Exception {
    LargeHistory history = new LargeHistory(seed);
    PageStore store = new PageStore();
    Visited visited = new Visited();
    Set<Hash> expected = new HashSet<>();
    int read = 0;
    for (int ops : new int[] {3_000, 1, 10, 0, 100, 1_000}) {
      history.run(ops);
      int before = visited.pages.size();
      int added = walk(write(history, store), store, visited);
      expected.addAll(chunks(history.state()));
      assertEquals(visited.pages.size() - before, added);
      assertTrue(ops > 10 || read == 0 || added <= 6 * ops, added + " pages for " + ops + " ops");
      read += added;
    }
    assertEquals(store.pages().keySet(), visited.pages);
    assertEquals(expected, visited.chunks);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2})
  void aPageThatIsMissingEndsIt(long seed) {
    PageStore store = new PageStore();
    byte[] manifest = write(new LargeHistory(seed).run(2_000), store);
    for (Hash page : List.copyOf(store.pages().keySet())) {
      byte[] bytes = store.pages().remove(page);
      PageMissingException missing =
          assertThrows(
              PageMissingException.class, () -> walk(manifest, store, new Visited()), "" + page);
      assertEquals(page, missing.page());
      store.put(bytes);
    }
  }

  /** One page is left out after another; what lies beside it is visited, what is below it later. */
  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2})
  void aPageThatIsLeftOutHidesOnlyWhatIsBelowIt(long seed) throws Exception {
    PageStore store = new PageStore();
    LargeHistory history = new LargeHistory(seed).run(2_000);
    byte[] manifest = write(history, store);
    for (Hash page : List.copyOf(store.pages().keySet())) {
      byte[] bytes = store.pages().remove(page);
      Visited visited = new Visited();
      PageWalker walker = new PageWalker(store, visited);
      Manifest.walk(manifest, WORKSPACE, walker);
      assertThrows(PageMissingException.class, () -> walkToTheEnd(walker));
      PageWalker.Skipped skipped = walker.skip();
      assertEquals(page, skipped.page());
      walkToTheEnd(walker);
      assertFalse(walker.step());
      store.put(bytes);
      walker.resume(skipped);
      walkToTheEnd(walker);
      assertEquals(store.pages().keySet(), visited.pages);
      assertEquals(chunks(history.state()), visited.chunks);
      assertThrows(IllegalStateException.class, walker::skip);
    }
  }

  private static void walkToTheEnd(PageWalker walker) throws Exception {
    while (walker.step()) {}
  }

  /** Bytes that a damaged disk or a wrong program made are an exception, whatever they are. */
  @Test
  void whatDoesNotDecodeEndsIt() {
    PageStore store = new PageStore();
    byte[] manifest = write(new LargeHistory(3).run(1_000), store);
    for (Hash page : List.copyOf(store.pages().keySet())) {
      byte[] bytes = store.pages().get(page);
      HostileBytes.Codec codec =
          candidate -> {
            store.pages().put(page, candidate);
            try {
              var _ = walk(manifest, store, new Visited());
            } catch (PageMissingException e) {
              throw new DecodeException(String.valueOf(e.getMessage()));
            }
            return candidate;
          };
      HostileBytes.assertTrailingByteIsRefused("page", bytes, codec);
      byte[] cut = java.util.Arrays.copyOf(bytes, bytes.length - 1);
      assertThrows(DecodeException.class, () -> codec.decodeAndEncode(cut));
      store.pages().put(page, bytes);
    }
  }

  /** A page with fewer leaves than the reference to it says would make the live set short. */
  @Test
  void aPageWithFewerLeavesEndsIt() {
    PageStore large = new PageStore();
    byte[] manifest = write(new LargeHistory(4).run(2_000), large);
    PageStore small = new PageStore();
    write(new LargeHistory(4).run(1_900), small);
    int refused = 0;
    for (Hash page : List.copyOf(large.pages().keySet())) {
      byte[] bytes = large.pages().get(page);
      for (byte[] other : small.pages().values()) {
        if (large.pages().containsKey(Blake3.hash(other)) || other[1] != bytes[1]) {
          continue;
        }
        large.pages().put(page, other);
        try {
          Visited visited = new Visited();
          var _ = walk(manifest, large, visited);
        } catch (DecodeException | PageMissingException e) {
          refused++;
        }
      }
      large.pages().put(page, bytes);
    }
    assertTrue(refused > 100, refused + " wrong pages are refused");
  }

  @Test
  void malformedManifestsAreRefused() {
    PageStore store = new PageStore();
    byte[] manifest = write(new LargeHistory(1).run(5), store);
    HostileBytes.Codec codec =
        candidate -> {
          PageWalker walker = new PageWalker(store, new Visited());
          Manifest.walk(candidate, WORKSPACE, walker);
          return candidate;
        };
    HostileBytes.assertEveryTruncationIsRefused("manifest", manifest, codec);
    HostileBytes.assertTrailingByteIsRefused("manifest", manifest, codec);
    assertThrows(
        DecodeException.class,
        () -> Manifest.walk(manifest, new WorkspaceId(3, 4), new PageWalker(store, new Visited())));
  }

  private static byte[] write(LargeHistory history, PageStore store) {
    return new Manifest(
            WORKSPACE,
            history.index(),
            1_000_000 + history.index(),
            StateWeight.of(history.state()),
            history.state())
        .write(PageWriter.complete(RootVersion.LATEST, store))
        .bytes();
  }

  /** Returns how many pages were read. */
  private static int walk(byte[] manifest, PageStore store, PageVisitor visitor)
      throws DecodeException, PageMissingException {
    PageWalker walker = new PageWalker(store, visitor);
    Manifest.walk(manifest, WORKSPACE, walker);
    int pages = 0;
    while (walker.step()) {
      pages++;
    }
    return pages;
  }

  private static Set<Hash> chunks(FsState state) {
    Set<Hash> chunks = new HashSet<>();
    state.nodes().forEach(node -> StateChunks.forEach(node, chunks::add));
    return chunks;
  }
}
