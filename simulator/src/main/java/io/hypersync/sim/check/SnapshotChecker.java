package io.hypersync.sim.check;

import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.StateWeight;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageReader;
import io.hypersync.model.trie.PageSource;
import io.hypersync.model.trie.PageVisitor;
import io.hypersync.model.trie.PageWalker;
import io.hypersync.model.trie.PageWriter;
import io.hypersync.sim.disk.SimChunkStore;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotCatalog;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * Judges snapshots (hypersync.md 13.1, 13.4): the manifest must be the one that another replica of
 * the same state makes from nothing, and everything that it leads to must be durable.
 */
public final class SnapshotChecker {
  private final WorkspaceId workspace;
  private LogChecker log;

  public SnapshotChecker(WorkspaceId workspace, LogChecker log) {
    this.workspace = workspace;
    this.log = log;
  }

  /** Another leader has taken over, and welcomes the replica. */
  public void follow(LogChecker next) {
    log = next;
  }

  /** A snapshot is in the catalog. */
  public void taken(Snapshot snapshot, SimChunkStore chunks) {
    long index = snapshot.index();
    Violation.unless(index <= log.index(), "snapshot of entry ", index, ", which is not durable");
    FsState state = log.state(index);
    Manifest expected =
        new Manifest(workspace, index, log.timeNs(index), StateWeight.of(state), state);
    byte[] bytes = expected.write(PageWriter.complete(state.version(), Blake3::hash)).bytes();
    Violation.unless(
        Arrays.equals(bytes, snapshot.manifest()),
        "the manifest of entry ",
        index,
        " is not the one that another replica makes");
    try {
      var _ =
          Manifest.read(
              snapshot.manifest(), workspace, PageReader::verifying, page -> durable(page, chunks));
    } catch (DecodeException | PageMissingException e) {
      throw new Violation("snapshot of entry " + index + ": " + e.getMessage());
    }
  }

  /** All pages and chunks of all snapshots of a leader must be durable, whatever was collected. */
  public void retained(SnapshotCatalog catalog, SimChunkStore chunks) {
    requireDurable(
        catalog,
        chunks,
        (snapshot, chunk) ->
            Violation.unless(
                chunks.durable(chunk) != null,
                "snapshot of entry ",
                snapshot.index(),
                ": chunk ",
                chunk,
                " is not durable"));
  }

  /** All pages of all snapshots of a worker must be durable, whatever it has removed. */
  public void pages(SnapshotCatalog catalog, SimChunkStore chunks) {
    requireDurable(catalog, chunks, (_, _) -> {});
  }

  private void requireDurable(
      SnapshotCatalog catalog, SimChunkStore chunks, BiConsumer<Snapshot, Hash> judge) {
    try {
      for (Snapshot snapshot : catalog.list()) {
        Set<Hash> visited = new HashSet<>();
        walk(
            snapshot,
            page -> durable(page, chunks),
            new PageVisitor() {
              @Override
              public boolean page(Hash page) {
                return visited.add(page);
              }

              @Override
              public void chunk(Hash chunk) {
                judge.accept(snapshot, chunk);
              }
            });
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void walk(Snapshot snapshot, PageSource source, PageVisitor visitor) {
    PageWalker walker = new PageWalker(source, visitor);
    try {
      Manifest.walk(snapshot.manifest(), workspace, walker);
      while (walker.step()) {
        // the visitor judges
      }
    } catch (DecodeException | PageMissingException e) {
      throw new Violation("snapshot of entry " + snapshot.index() + ": " + e.getMessage());
    }
  }

  private static byte[] durable(Hash page, SimChunkStore chunks) throws PageMissingException {
    byte[] durable = chunks.durable(page);
    if (durable == null) {
      throw new PageMissingException(page, "is not durable");
    }
    return durable;
  }
}
