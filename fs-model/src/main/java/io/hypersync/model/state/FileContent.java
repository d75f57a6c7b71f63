package io.hypersync.model.state;

import io.hypersync.model.hash.Hash;
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
public record FileContent(MerkleTrie<Extent> extents, long allocated) implements NodeContent {
  /** No bytes. */
  public static final FileContent EMPTY = new FileContent(MerkleTrie.empty(), 0);

  @Override
  public Hash root() {
    return extents.root();
  }

  /** The extents that overlap or follow {@code offset}, in order. */
  public Iterator<Extent> from(long offset) {
    Extent before = extents.floor(TrieKey.of(offset));
    return extents.iterator(
        before != null && before.end() > offset ? before.key() : TrieKey.of(offset));
  }

  /**
   * Where bytes are again (SEEK_DATA).
   *
   * @return the first place from {@code offset} on that an extent covers, or -1
   */
  public long nextData(long offset) {
    Iterator<Extent> extents = from(offset);
    return extents.hasNext() ? Math.max(offset, extents.next().offset()) : -1;
  }

  /**
   * Where bytes end (SEEK_HOLE).
   *
   * @return the first place from {@code offset} on that no extent covers
   */
  public long nextHole(long offset) {
    long at = offset;
    Iterator<Extent> extents = from(offset);
    while (extents.hasNext()) {
      Extent extent = extents.next();
      if (extent.offset() > at) {
        break;
      }
      at = extent.end();
    }
    return at;
  }

  /**
   * How far a copy of at most so many extents goes.
   *
   * @return where the extent after the last of them begins, or {@code to} if there is none before
   */
  long endOfExtents(long from, long to, int most) {
    Iterator<Extent> extents = from(from);
    for (int i = 0; i < most && extents.hasNext(); i++) {
      var _ = extents.next();
    }
    return extents.hasNext() ? Math.min(to, extents.next().offset()) : to;
  }

  /** With what {@code source} has in a range, chunks and holes, in place of what was there. */
  FileContent copy(FileContent source, long sourceOffset, long targetOffset, long length) {
    FileContent result = clear(targetOffset, targetOffset + length);
    long end = sourceOffset + length;
    Iterator<Extent> extents = source.from(sourceOffset);
    while (extents.hasNext()) {
      Extent extent = extents.next();
      if (extent.offset() >= end) {
        break;
      }
      int first = (int) Math.max(0, sourceOffset - extent.offset());
      int last = (int) Math.min(extent.length(), end - extent.offset());
      long at = extent.offset() + first - sourceOffset + targetOffset;
      Extent copy = new Extent(at, last - first, extent.chunk(), extent.chunkOffset() + first);
      // Among themselves they are merged as in the source; only the outer ones meet others.
      boolean outer = at == targetOffset || copy.end() == targetOffset + length;
      result =
          outer
              ? result.insert(copy)
              : new FileContent(result.extents.with(copy), result.allocated + copy.length());
    }
    return result;
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
