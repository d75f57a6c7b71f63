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

/** A walk over a state comes to all chunks, and reads nothing of it into memory. */
class StateWalkTest {
  private static final int FILES = 400;

  private final Map<Hash, byte[]> stored = new HashMap<>();
  private FsState state = FsState.genesis();
  private long last;

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
    for (int i = 0; i < changed; i++) {
      create("a new file " + i);
    }
    Set<Hash> expected = new HashSet<>();
    for (Node node : state.nodes()) {
      StateChunks.forEach(node, expected::add);
    }
    assertEquals(FILES + changed, expected.size());

    long readsBefore = cache.reads();
    Set<Hash> pages = new HashSet<>();
    Set<Hash> chunks = new HashSet<>();
    PageWalker walker =
        new PageWalker(
            this::page,
            new PageVisitor() {
              @Override
              public boolean page(Hash page) {
                return pages.add(page);
              }

              @Override
              public void chunk(Hash chunk) {
                chunks.add(chunk);
              }
            });
    StateWalk walk = new StateWalk(state);
    while (!walk.isDone()) {
      walk.step(10, walker);
    }
    while (walker.step()) {}
    assertEquals(expected, chunks);
    assertEquals(memory == Long.MAX_VALUE, pages.isEmpty(), "pages that were left to the walker");
    assertEquals(readsBefore, cache.reads(), "pages were read into memory");
  }

  private void create(String name) {
    last++;
    NodeId id = new NodeId(7, last);
    apply(new FsOp.CreateFile(FsState.ROOT, Name.of(name), 0644, 0, 0), id);
    byte[] content = ("content of " + name).getBytes(StandardCharsets.UTF_8);
    ChunkRef ref = new ChunkRef(Blake3.hash(content), content.length);
    apply(new FsOp.Write(id, WriteMode.PWRITE, 0, List.of(ref), false), id);
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
