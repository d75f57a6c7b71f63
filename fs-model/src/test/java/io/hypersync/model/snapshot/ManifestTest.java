package io.hypersync.model.snapshot;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.codec.GoldenFile;
import io.hypersync.model.codec.HostileBytes;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.StatePages;
import io.hypersync.model.state.StateWeight;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageReader;
import io.hypersync.model.trie.PageStore;
import io.hypersync.model.trie.PageWriter;
import io.hypersync.model.trie.RootVersion;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Manifests and the states that they name (hypersync.md 13.1, 13.4). */
class ManifestTest {
  private static final WorkspaceId WORKSPACE =
      new WorkspaceId(0x0123456789abcdefL, 0xfedcba9876543210L);

  /**
   * Frozen: a manifest's hash is what replicas compare, and snapshots are on disks. The whole
   * genesis, and the hashes of larger ones, which stand for all of their pages.
   */
  @Test
  void manifestsAreTheFrozenOnes() {
    Map<String, String> actual = new LinkedHashMap<>();
    Manifest genesis = new Manifest(WORKSPACE, 0, 0, 0, FsState.genesis());
    actual.put("genesis", HexFormat.of().formatHex(write(genesis, new PageStore()).bytes()));
    LargeHistory history = new LargeHistory(1);
    for (int ops : new int[] {1, 30, 100, 1_000, 5_000}) {
      history.run(ops - (int) history.index());
      PageStore store = new PageStore();
      Manifest.Written written = write(manifest(history), store);
      actual.put("after-" + ops, written.hash().toString());
    }
    Map<String, String> frozen = new LinkedHashMap<>();
    GoldenFile.read("manifests-v1.txt")
        .forEach((name, bytes) -> frozen.put(name, HexFormat.of().formatHex(bytes)));
    assertEquals(frozen, actual);
  }

  /** One replica takes a snapshot now and then, and is sometimes started from it; one never is. */
  @ParameterizedTest(name = "seed {0}")
  @CsvSource({"1, 1", "2, 100000", "3, 1", "4, 9223372036854775807"})
  void replicasMakeTheSameManifest(long seed, long memory) throws Exception {
    LargeHistory one = new LargeHistory(seed);
    LargeHistory other = new LargeHistory(seed);
    PageStore store = new PageStore();
    PageCache cache = cache(store, memory);
    for (int ops : new int[] {10, 2_000, 1, 30, 30, 500, 5, 0, 200, 1_500}) {
      one.run(ops);
      other.run(ops);
      String where = "seed " + seed + " index " + one.index();
      PageWriter writer = PageWriter.incremental(RootVersion.LATEST, store, cache);
      Manifest.Written written = manifest(one).write(writer);
      writer.finished();
      assertArrayEquals(write(manifest(other), new PageStore()).bytes(), written.bytes(), where);

      Manifest verified = read(written.bytes(), store);
      assertEquals(one.state().root(), verified.state().root(), where);
      assertEquals(one.state().allocated(), verified.state().allocated(), where);
      assertEquals(one.state().orphans().size(), verified.state().orphans().size(), where);
      assertEquals(StateWeight.of(one.state()), StateWeight.of(verified.state()), where);
      store.keepOnlyRead();
      if (ops % 20 == 10) {
        PageCache fresh = cache(store, memory);
        cache = fresh;
        one.restart(
            Manifest.read(written.bytes(), WORKSPACE, (version, _) -> fresh.reader(version), store)
                .state());
      }
    }
    assertTrue(store.pages().size() > 50, store.pages().size() + " pages");
  }

  /** Its reads do not count as uses of a page. */
  private static PageCache cache(PageStore store, long memory) {
    return new PageCache(
        page -> Objects.requireNonNull(store.pages().get(page)), StatePages::leaves, memory, true);
  }

  @Test
  void aSmallChangeWritesFewPages() {
    LargeHistory history = new LargeHistory(1).run(8_000);
    PageStore store = new PageStore();
    PageCache cache = cache(store, Long.MAX_VALUE);
    PageWriter first = PageWriter.incremental(RootVersion.LATEST, store, cache);
    manifest(history).write(first);
    history.run(1);
    PageWriter second = PageWriter.incremental(RootVersion.LATEST, store, cache);
    manifest(history).write(second);
    assertTrue(second.pages() <= 6, second.pages() + " pages after " + first.pages());
  }

  @Test
  void aManifestOfAnotherWorkspaceIsRefused() {
    PageStore store = new PageStore();
    byte[] bytes = write(manifest(new LargeHistory(1).run(10)), store).bytes();
    DecodeException refused =
        assertThrows(
            DecodeException.class,
            () -> Manifest.read(bytes, new WorkspaceId(1, 2), PageReader::verifying, store));
    assertEquals("the manifest is of workspace " + WORKSPACE, refused.getMessage());
  }

  @Test
  void aNewerFormatIsNamed() {
    byte[] bytes = write(manifest(new LargeHistory(1).run(10)), new PageStore()).bytes();
    bytes[8] = 2;
    DecodeException refused =
        assertThrows(DecodeException.class, () -> read(bytes, new PageStore()));
    assertEquals(
        "the manifest has format 2, and this version of hypersync reads 1", refused.getMessage());
  }

  @Test
  void malformedManifestsAreRefused() {
    PageStore store = new PageStore();
    byte[] bytes = write(manifest(new LargeHistory(1).run(5)), store).bytes();
    HostileBytes.Codec codec =
        candidate -> {
          try {
            return write(read(candidate, store), new PageStore()).bytes();
          } catch (PageMissingException e) {
            throw new DecodeException(String.valueOf(e.getMessage()));
          }
        };
    HostileBytes.assertEveryTruncationIsRefused("manifest", bytes, codec);
    HostileBytes.assertTrailingByteIsRefused("manifest", bytes, codec);
    HostileBytes.assertMutationsAreHarmless(1, 2_000, List.of(bytes), codec);
  }

  private static Manifest manifest(LargeHistory history) {
    return new Manifest(
        WORKSPACE,
        history.index(),
        1_000_000 + history.index(),
        StateWeight.of(history.state()),
        history.state());
  }

  private static Manifest.Written write(Manifest manifest, PageStore store) {
    return manifest.write(PageWriter.complete(RootVersion.LATEST, store));
  }

  private static Manifest read(byte[] bytes, PageStore store)
      throws DecodeException, PageMissingException {
    return Manifest.read(bytes, WORKSPACE, PageReader::verifying, store);
  }
}
