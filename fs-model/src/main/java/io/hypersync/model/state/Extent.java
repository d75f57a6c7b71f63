package io.hypersync.model.state;

import io.hypersync.model.codec.CanonicalReader;
import io.hypersync.model.codec.CanonicalWriter;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.trie.Leaf;
import io.hypersync.model.trie.PageWalker;
import io.hypersync.model.trie.PageWriter;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.model.trie.TrieKey;

/**
 * A contiguous range of bytes of a file and the part of a chunk that holds them (hypersync.md
 * 5.2.1, 7.3). Immutable. Canonical form, as hashed; integers are big-endian:
 *
 * <pre>
 *   0            8            12           44                    48
 *   +------------+------------+------------+---------------------+
 *   | offset u64 | length u32 | chunk 32 B | offset in chunk u32 |
 *   +------------+------------+------------+---------------------+
 * </pre>
 */
public final class Extent extends Leaf {
  private static final int BYTES = 8 + 4 + Hash.BYTES + 4;

  private final long offset;
  private final int length;
  private final int chunkOffset;
  private final long chunk0;
  private final long chunk1;
  private final long chunk2;
  private final long chunk3;

  Extent(long offset, int length, Hash chunk, int chunkOffset) {
    this.offset = offset;
    this.length = length;
    this.chunkOffset = chunkOffset;
    this.chunk0 = chunk.w0(); // stored inline: a state can hold millions of extents
    this.chunk1 = chunk.w1();
    this.chunk2 = chunk.w2();
    this.chunk3 = chunk.w3();
  }

  /** Offset of the first byte in the file. */
  public long offset() {
    return offset;
  }

  /** The number of bytes, at least 1. */
  public int length() {
    return length;
  }

  /** Offset in the file of the first byte after the extent. */
  public long end() {
    return offset + length;
  }

  /** The hash of the chunk that holds the bytes. */
  public Hash chunk() {
    return new Hash(chunk0, chunk1, chunk2, chunk3);
  }

  /** Offset of the first byte in the chunk. */
  public int chunkOffset() {
    return chunkOffset;
  }

  /**
   * The sub-extent of the bytes {@code begin} to {@code end}, exclusive, both relative to the start
   * of this extent.
   */
  Extent part(int begin, int end) {
    return new Extent(offset + begin, end - begin, chunk(), chunkOffset + begin);
  }

  @Override
  public TrieKey key() {
    return TrieKey.of(offset);
  }

  @Override
  protected void encode(CanonicalWriter out, RootVersion version) {
    out.u64(offset).u32(length).hash(chunk()).u32(chunkOffset);
  }

  @Override
  protected int pageBytes() {
    return BYTES;
  }

  /** The form that is hashed. */
  @Override
  protected void writePage(CanonicalWriter out, PageWriter pages) {
    encode(out, RootVersion.LATEST);
  }

  static Extent readPage(CanonicalReader in) throws DecodeException {
    long offset = in.size();
    int length = in.u32();
    Hash chunk = in.hash();
    int chunkOffset = in.u32();
    if (length <= 0 || chunkOffset < 0 || offset + length < 0) {
      throw new DecodeException("an extent of " + length + " bytes at " + offset);
    }
    return new Extent(offset, length, chunk, chunkOffset);
  }

  static void walkPage(CanonicalReader in, PageWalker pages) throws DecodeException {
    in.skip(Long.BYTES + Integer.BYTES);
    pages.chunk(in.hash());
    in.skip(Integer.BYTES);
  }
}
