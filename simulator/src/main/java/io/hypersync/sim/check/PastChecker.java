package io.hypersync.sim.check;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageVisitor;
import io.hypersync.model.trie.PageWalker;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.StoredPages;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A state of the past that is held, for a mount or because an entry restores it, stays readable:
 * all its pages, and the chunks that were there when it was stored (hypersync.md 14.2). Over
 * crashes and starts of the leader, too.
 */
public final class PastChecker {
  /** What must be there, by what the state is known by. */
  private final Map<Long, Set<Hash>> held = new TreeMap<>();

  /**
   * A state was stored; its record is durable, and so is what it leads to.
   *
   * @param index the entry that it is known by: its last one, or the one that restores it
   * @param root that of the log after its last entry
   */
  public void stored(
      long index, byte[] manifest, WorkspaceId workspace, ChunkStore chunks, Hash root) {
    Set<Hash> there = new LinkedHashSet<>();
    PageWalker walker =
        new PageWalker(
            new StoredPages(chunks, RateLimit.NONE),
            new PageVisitor() {
              @Override
              public boolean page(Hash page) {
                return there.add(page);
              }

              @Override
              public void chunk(Hash chunk) {
                if (chunks.length(chunk) != ChunkStore.NOT_HERE) { // else it was collected before
                  there.add(chunk);
                }
              }
            });
    try {
      Manifest.walk(manifest, workspace, walker);
      while (walker.step()) {}
      Violation.unless(
          Manifest.root(manifest).equals(root),
          "the state of the past of entry ",
          index,
          " has another root than the log");
    } catch (DecodeException | PageMissingException e) {
      throw new Violation(
          "the state of entry " + index + " is held, and not whole: " + e.getMessage());
    }
    held.put(index, there);
  }

  /** Whether this is held. */
  public boolean holds(long index) {
    return held.containsKey(index);
  }

  /** No state is held that is known by an entry before this one. */
  public void removedBefore(long index) {
    held.keySet().removeIf(known -> known < index);
  }

  /** Its record is about to be removed. */
  public void removed(long index) {
    held.remove(index);
  }

  /** Looks at everything that is held. */
  public void look(ChunkStore chunks) {
    held.forEach(
        (index, there) -> {
          for (Hash hash : there) {
            Violation.unless(
                chunks.length(hash) != ChunkStore.NOT_HERE,
                "the state of entry ",
                index,
                " is held, and ",
                hash,
                " of it is gone");
          }
        });
  }
}
