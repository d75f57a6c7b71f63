package io.hypersync.model.snapshot;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.FsStateMachine;
import io.hypersync.model.state.Outcome;
import io.hypersync.model.state.RestoredStates;
import io.hypersync.model.state.Stamp;
import io.hypersync.model.state.StatePages;
import io.hypersync.model.state.StateWeight;
import io.hypersync.model.state.StoredStates;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageReader;
import io.hypersync.model.trie.PageStore;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.model.trie.PageWriter;
import io.hypersync.model.trie.RootVersion;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A restored state is read from its pages as it is needed, and the next snapshot names them. */
class RestoredPagesTest {
  private static final RootVersion V = RootVersion.LATEST;
  private static final NodeId MADE = new NodeId(1, 1);

  private final StoredStates earlier = new StoredStates();
  private final LargeHistory history = new LargeHistory(1).run(6_000);
  private final byte[] manifest = earlier.add(history.state());
  private final FsState before = history.run(3_000).state();

  /** The earlier state has no orphans: those are read, because they do not come back. */
  @Test
  void aRestoreReadsAboutNothing() {
    LargeHistory quiet = new LargeHistory(2).run(6_000).reapOrphans();
    StoredStates kept = new StoredStates();
    FsOp op = new FsOp.RestoreState(kept.add(quiet.state()), List.of());
    FsState later = quiet.run(3_000).state();
    PageCache cache = new PageCache(kept.pages(), StatePages::leaves, 1, true);
    int pages = kept.pages().pages().size();
    FsState after = applied(later, op, ManifestStates.lazy(StoredStates.WORKSPACE, V, cache));
    assertTrue(pages > 50, pages + " pages");
    assertTrue(cache.reads() < pages / 4, cache.reads() + " of " + pages + " pages");
    assertEquals(applied(later, op, kept).root(), after.root());
  }

  /** Each of the orphans costs the pages on the way to it. */
  @Test
  void aRestoreReadsTheOrphansOfTheEarlierState() {
    PageCache cache = cache(Long.MAX_VALUE);
    FsState after = restored(ManifestStates.lazy(StoredStates.WORKSPACE, V, cache));
    int pages = earlier.pages().pages().size();
    assertTrue(cache.reads() <= pages, cache.reads() + " of " + pages + " pages, each once");
    assertEquals(restored(earlier).root(), after.root());
  }

  /** It goes on from the restored state, with little memory and with as much as it likes. */
  @ParameterizedTest(name = "{0} bytes")
  @ValueSource(longs = {1, 100_000, Long.MAX_VALUE})
  void theNextSnapshotHasAllOfIt(long memory) throws Exception {
    PageCache cache = cache(memory);
    FsState state = made(restored(ManifestStates.lazy(StoredStates.WORKSPACE, V, cache)));
    PageWriter writer = PageWriter.incremental(V, earlier.pages(), cache);
    byte[] written = manifest(state).write(writer).bytes();
    writer.finished();
    FsState whole = made(restored(earlier));
    assertArrayEquals(
        manifest(whole).write(PageWriter.complete(V, new PageStore())).bytes(), written);
    assertTrue(writer.pages() < 30, writer.pages() + " pages were written");

    FsState read =
        Manifest.read(written, StoredStates.WORKSPACE, PageReader::verifying, earlier.pages())
            .state();
    assertEquals(whole.root(), read.root());
    assertEquals(StateWeight.of(whole), StateWeight.of(read));
  }

  @Test
  void aPageThatIsMissingIsNamed() {
    PageCache cache = cache(1);
    FsState after = restored(ManifestStates.lazy(StoredStates.WORKSPACE, V, cache));
    earlier.pages().pages().clear();
    assertThrows(
        PageUnreadableException.class, () -> after.nodes().forEach(_ -> {}), "when it is needed");
    assertThrows(PageUnreadableException.class, () -> restored(earlier), "when all is read");
  }

  private PageCache cache(long memory) {
    return new PageCache(earlier.pages(), StatePages::leaves, memory, true);
  }

  private FsState restored(RestoredStates states) {
    return applied(before, new FsOp.RestoreState(manifest, List.of()), states);
  }

  private static FsState made(FsState state) {
    Name name = Name.of("behind the restore");
    return applied(state, new FsOp.CreateFile(FsState.ROOT, name, 0600, 0, 0), RestoredStates.NONE);
  }

  private static FsState applied(FsState state, FsOp op, RestoredStates states) {
    return assertInstanceOf(
            Outcome.Applied.class,
            FsStateMachine.apply(state, op, new Stamp(9_000_000, MADE), states))
        .state();
  }

  private static Manifest manifest(FsState state) {
    return new Manifest(StoredStates.WORKSPACE, 9_001, 1, StateWeight.of(state), state);
  }
}
