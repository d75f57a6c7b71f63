package io.hypersync.model.state;

import io.hypersync.model.codec.CanonicalReader;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.trie.MerkleTrie;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageReader;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.model.trie.TrieKey;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The content of a regular file as normalised extents: sorted, never overlapping, and merged
 * whenever two are contiguous both in the file and in the same chunk (hypersync.md 5.2.1). Ranges
 * without an extent are holes and read as zeros. Immutable.
 *
 * @param extents the extents by offset
 * @param allocated the sum of their lengths in bytes
 */
public record FileContent(MerkleTrie<Extent> extents, long allocated) implements NodeContent {
  /** The content without extents: an empty file, or one that is a single hole. */
  public static final FileContent EMPTY = new FileContent(MerkleTrie.empty(), 0);

  @Override
  public Hash root(RootVersion version) {
    return extents.root(version);
  }

  /**
   * Reads what a node's form in pages has of a file, behind the size.
   *
   * @param like extents that may have much in common with those that are read
   */
  static FileContent readPage(CanonicalReader in, PageReader pages, MerkleTrie<Extent> like)
      throws DecodeException, PageMissingException {
    long allocated = in.size();
    MerkleTrie<Extent> extents =
        pages.trie(in, PageKind.EXTENTS, (extent, _) -> Extent.readPage(extent), like);
    if (extents.isEmpty() && allocated != 0) {
      throw new DecodeException("a file without extents that maps " + allocated + " bytes");
    }
    return extents.isEmpty() ? EMPTY : new FileContent(extents, allocated);
  }

  /** The extents that contain {@code offset} or start after it, in order. */
  public Iterator<Extent> from(long offset) {
    Extent before = extents.floor(TrieKey.of(offset));
    return extents.iterator(
        before != null && before.end() > offset ? before.key() : TrieKey.of(offset));
  }

  /**
   * The next data (SEEK_DATA).
   *
   * @return the first offset, at or after {@code offset}, that an extent covers, or -1 if there is
   *     none
   */
  public long nextData(long offset) {
    Iterator<Extent> extents = from(offset);
    return extents.hasNext() ? Math.max(offset, extents.next().offset()) : -1;
  }

  /**
   * The next hole (SEEK_HOLE).
   *
   * @return the first offset, at or after {@code offset}, that no extent covers; it may be the end
   *     of file
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
   * The end of a copy from {@code from} that takes at most {@code most} extents.
   *
   * @return the offset of the first extent that is too many, or {@code to} if that is less or there
   *     is no such extent
   */
  long endOfExtents(long from, long to, int most) {
    Iterator<Extent> extents = from(from);
    for (int i = 0; i < most && extents.hasNext(); i++) {
      var _ = extents.next();
    }
    return extents.hasNext() ? Math.min(to, extents.next().offset()) : to;
  }

  /** This content with a range replaced by a range of {@code source}, chunks and holes. */
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
      // Extents of the source are already merged with each other; only the first and the last copy
      // can be contiguous with extents of the target.
      boolean outer = at == targetOffset || copy.end() == targetOffset + length;
      result =
          outer
              ? result.insert(copy)
              : new FileContent(result.extents.with(copy), result.allocated + copy.length());
    }
    return result;
  }

  /** This content with the concatenated chunks written from {@code offset} on. */
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

  /** This content with a hole from {@code from} to {@code to}, exclusive. */
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
