package io.hypersync.chunkstore;

import io.hypersync.model.op.ChunkRef;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Splits written data into chunks of a fixed size (hypersync.md 9.1). */
public final class Chunker {
  /** Maximum length of a chunk, in bytes. */
  public static final int MAX_CHUNK_BYTES = ChunkRef.MAX_LENGTH;

  private Chunker() {}

  /**
   * Splits the whole buffer into chunks of {@link #MAX_CHUNK_BYTES}; see {@link #split(byte[],
   * int)}.
   */
  public static List<Chunk> split(byte[] buffer) {
    return split(buffer, MAX_CHUNK_BYTES);
  }

  /**
   * Splits the whole buffer into chunks of {@code chunkMax} bytes, the last of which may be
   * shorter, and hashes each. The bytes are copied, with one exception: a buffer that fits into a
   * single chunk is shared and must not be changed afterwards.
   *
   * @param chunkMax in bytes, 1 to {@link #MAX_CHUNK_BYTES}
   * @throws IllegalArgumentException if {@code chunkMax} is out of range
   */
  public static List<Chunk> split(byte[] buffer, int chunkMax) {
    if (chunkMax < 1 || chunkMax > MAX_CHUNK_BYTES) {
      throw new IllegalArgumentException("chunks of " + chunkMax + " bytes");
    }
    if (buffer.length > 0 && buffer.length <= chunkMax) {
      return List.of(Chunk.of(buffer));
    }
    List<Chunk> chunks = new ArrayList<>(Math.ceilDiv(buffer.length, chunkMax));
    int from = 0;
    while (from < buffer.length) {
      int to = from + Math.min(chunkMax, buffer.length - from);
      chunks.add(Chunk.of(Arrays.copyOfRange(buffer, from, to)));
      from = to;
    }
    return chunks;
  }
}
