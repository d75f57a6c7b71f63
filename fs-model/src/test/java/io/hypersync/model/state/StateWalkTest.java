package io.hypersync.model.state;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.model.codec.CanonicalReader;
import io.hypersync.model.codec.CanonicalWriter;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageVisitor;
import io.hypersync.model.trie.PageWalker;
import io.hypersync.model.trie.PageWriter;
import io.hypersync.model.trie.RootVersion;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A walk over a state comes to all chunks, and reads nothing of it into memory. */
class StateWalkTest {
  private static final int FILES = 400;

  private final Map<Hash, byte[]> stored = new HashMap<>();
  private FsState state = FsState.genesis();
  private long last;

  private final Set<Hash> pages = new HashSet<>();
  private final Set<Hash> chunks = new HashSet<>();

  /** Chunks in memory only, in pages only, and in both; with and without a limit of the memory. */
  @ParameterizedTest(name = "{0} new files since the snapshot, {1} bytes of memory")
  @CsvSource({
    "0, 9223372036854775807",
    "0, 1",
    "7, 9223372036854775807",
    "7, 60000",
    "7, 1",
    "400, 1"
  })
  void itComesToAllChunks(int changed, long memory) throws Exception {
    for (int i = 0; i < FILES; i++) {
      create("a rather long name of a file " + i);
    }
    PageCache cache = store(memory);
    for (int i = 0; i < changed; i++) {
      create("a new file " + i);
    }
    Set<Hash> expected = new HashSet<>();
    for (Node node : state.nodes()) {
      StateChunks.forEach(node, expected::add);
    }
    assertEquals(FILES + changed, expected.size());

    long readsBefore = cache.reads();
    walk(new StateWalk(state), walker(chunks));
    assertEquals(expected, chunks);
    assertEquals(memory == Long.MAX_VALUE, pages.isEmpty(), "pages that were left to the walker");
    assertEquals(readsBefore, cache.reads(), "pages were read into memory");
  }

  /** The same of nodes without a name, small ones and one whose extents take pages of their own. */
  @ParameterizedTest(name = "{0} bytes of memory")
  @ValueSource(longs = {Long.MAX_VALUE, 1})
  void whatHasNoNameCanBeToldToSomebodyElse(long memory) throws Exception {
    for (int i = 0; i < FILES; i++) {
      create("a rather long name of a file " + i);
    }
    NodeId large = create("large");
    for (int i = 1; i <= FILES; i++) {
      write(large, "piece " + i, i * 100L);
    }
    for (String name : List.of("a rather long name of a file 7", "large")) {
      apply(new FsOp.Unlink(FsState.ROOT, Name.of(name)), large);
    }
    long unlinkedNs = last;
    var _ = store(memory);
    create("new");
    apply(new FsOp.Unlink(FsState.ROOT, Name.of("new")), large);
    Set<Hash> named = new HashSet<>();
    Set<Hash> without = new HashSet<>();
    for (Node node : state.nodes()) {
      StateChunks.forEach(node, (node.isOrphan() ? without : named)::add);
    }
    assertEquals(FILES - 1, named.size());
    assertEquals(FILES + 3, without.size());

    Set<Hash> others = new HashSet<>();
    Set<Long> times = new HashSet<>();
    PageWalker aside = walker(others);
    StateWalk walk = new StateWalk(state);
    walk.orphansTo(
        ctimeNs -> {
          times.add(ctimeNs);
          return aside;
        });
    walk(walk, walker(chunks));
    while (aside.step()) {}
    assertEquals(named, chunks);
    assertEquals(without, others);
    assertEquals(Set.of(unlinkedNs, last), times);
  }

  private static void walk(StateWalk walk, PageWalker walker) throws Exception {
    while (!walk.isDone()) {
      walk.step(10, walker);
    }
    while (walker.step()) {}
  }

  private PageWalker walker(Set<Hash> told) {
    return new PageWalker(
        this::page,
        new PageVisitor() {
          @Override
          public boolean page(Hash page) {
            return pages.add(page);
          }

          @Override
          public void chunk(Hash chunk) {
            told.add(chunk);
          }
        });
  }

  /** Writes the state as pages, from which it is read when it is needed. */
  private PageCache store(long memory) throws Exception {
    PageCache cache = new PageCache(this::page, StatePages::leaves, memory, true);
    CanonicalWriter manifest = new CanonicalWriter(1 << 20);
    PageWriter writer = PageWriter.incremental(RootVersion.LATEST, this::put, cache);
    StatePages.write(state, manifest, writer);
    writer.finished();
    state =
        StatePages.read(
            RootVersion.LATEST,
            StateWeight.of(state),
            new CanonicalReader(manifest.toBytes()),
            cache.reader(RootVersion.LATEST),
            null);
    return cache;
  }

  private NodeId create(String name) {
    last++;
    NodeId id = new NodeId(7, last);
    apply(new FsOp.CreateFile(FsState.ROOT, Name.of(name), 0644, 0, 0), id);
    write(id, "content of " + name, 0);
    return id;
  }

  private void write(NodeId file, String text, long offset) {
    byte[] content = text.getBytes(StandardCharsets.UTF_8);
    ChunkRef ref = new ChunkRef(Blake3.hash(content), content.length);
    apply(new FsOp.Write(file, WriteMode.PWRITE, offset, List.of(ref), false), file);
  }

  private void apply(FsOp op, NodeId created) {
    Outcome outcome = FsStateMachine.apply(state, op, new Stamp(last, created));
    state = ((Outcome.Applied) outcome).state();
  }

  private Hash put(byte[] page) {
    Hash hash = Blake3.hash(page);
    stored.put(hash, page);
    return hash;
  }

  private byte[] page(Hash hash) throws PageMissingException {
    byte[] page = stored.get(hash);
    if (page == null) {
      throw new PageMissingException(hash, "is not stored");
    }
    return page;
  }
}
