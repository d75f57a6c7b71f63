package io.hypersync.model.state;

import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.trie.MerkleTrie;
import io.hypersync.model.trie.TrieKey;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a file as normalised extents: sorted, never overlapping, merged whenever two are
 * contiguous in the file and in one chunk (hypersync.md 5.2.1). What no extent covers reads as
 * zeros. Immutable.
 *
 * @param extents the extents by offset
 * @param allocated the sum of their lengths
 */
public record FileContent(MerkleTrie<Extent> extents, long allocated) {
  /** No bytes. */
  public static final FileContent EMPTY = new FileContent(MerkleTrie.empty(), 0);

  /** The extents that overlap or follow {@code offset}, in order. */
  public Iterator<Extent> from(long offset) {
    Extent before = extents.floor(TrieKey.of(offset));
    return extents.iterator(
        before != null && before.end() > offset ? before.key() : TrieKey.of(offset));
  }

  /** With the chunks written one after another from {@code offset} on. */
  FileContent write(long offset, List<ChunkRef> chunks) {
    long length = 0;
    for (ChunkRef chunk : chunks) {
      length += chunk.length();
    }
    FileContent result = clear(offset, offset + length);
    long at = offset;
    for (ChunkRef chunk : chunks) {
      result = result.insert(new Extent(at, chunk.length(), chunk.hash(), 0));
      at += chunk.length();
    }
    return result;
  }

  /** With nothing from {@code from} to {@code to}, exclusive. */
  FileContent clear(long from, long to) {
    if (from >= to) {
      return this;
    }
    Extent first = null;
    Extent last = null;
    long removed = 0;
    Iterator<Extent> overlapping = from(from);
    while (overlapping.hasNext()) {
      Extent extent = overlapping.next();
      if (extent.offset() >= to) {
        break;
      }
      first = first == null ? extent : first;
      last = extent;
      removed += extent.length();
    }
    if (first == null || last == null) {
      return this;
    }
    MerkleTrie<Extent> rest = extents.withoutRange(first.key(), TrieKey.of(to));
    if (first.offset() < from) {
      Extent head = first.part(0, (int) (from - first.offset()));
      rest = rest.with(head);
      removed -= head.length();
    }
    if (last.end() > to) {
      Extent tail = last.part((int) (to - last.offset()), last.length());
      rest = rest.with(tail);
      removed -= tail.length();
    }
    return new FileContent(rest, allocated - removed);
  }

  private FileContent insert(Extent extent) {
    Extent merged = extent;
    MerkleTrie<Extent> rest = extents;
    if (extent.offset() > 0) {
      Extent before = rest.floor(TrieKey.of(extent.offset() - 1));
      if (before != null && continues(before, merged)) {
        rest = rest.without(before.key());
        merged = join(before, merged);
      }
    }
    @Nullable Extent after = rest.get(TrieKey.of(extent.end()));
    if (after != null && continues(merged, after)) {
      rest = rest.without(after.key());
      merged = join(merged, after);
    }
    return new FileContent(rest.with(merged), allocated + extent.length());
  }

  private static boolean continues(Extent a, Extent b) {
    return a.end() == b.offset()
        && a.chunkOffset() + a.length() == b.chunkOffset()
        && a.chunk().equals(b.chunk());
  }

  private static Extent join(Extent a, Extent b) {
    return new Extent(a.offset(), a.length() + b.length(), a.chunk(), a.chunkOffset());
  }
}
