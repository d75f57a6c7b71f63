package io.hypersync.chunkstore;

import io.hypersync.model.op.ChunkRef;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Splits what a process writes into chunks (hypersync.md 9.1). */
public final class Chunker {
  /** The largest chunk, in bytes. */
  public static final int MAX_CHUNK_BYTES = ChunkRef.MAX_LENGTH;

  private Chunker() {}

  /** Splits the whole buffer; see {@link #split(byte[], int)}. */
  public static List<Chunk> split(byte[] buffer) {
    return split(buffer, MAX_CHUNK_BYTES);
  }

  /**
   * Splits the whole buffer into chunks of {@code chunkMax} bytes, the last one shorter if need be.
   * But one that is a single chunk is shared, not copied: nobody may change it.
   *
   * @param chunkMax 1 to {@link #MAX_CHUNK_BYTES}
   * @throws IllegalArgumentException if it is not
   */
  public static List<Chunk> split(byte[] buffer, int chunkMax) {
    if (chunkMax < 1 || chunkMax > MAX_CHUNK_BYTES) {
      throw new IllegalArgumentException("chunks of " + chunkMax + " bytes");
    }
    return buffer.length > 0 && buffer.length <= chunkMax
        ? List.of(Chunk.of(buffer))
        : split(buffer, 0, buffer.length, chunkMax);
  }

  /**
   * Splits {@code length} bytes from {@code offset} into chunks of {@link #MAX_CHUNK_BYTES}, the
   * last one shorter if need be, and hashes each. The bytes are copied, so the buffer may be used
   * again.
   *
   * @return in the order of the bytes; empty if {@code length} is 0
   * @throws IndexOutOfBoundsException if that range is not inside the buffer
   */
  public static List<Chunk> split(byte[] buffer, int offset, int length) {
    return split(buffer, offset, length, MAX_CHUNK_BYTES);
  }

  private static List<Chunk> split(byte[] buffer, int offset, int length, int chunkMax) {
    Objects.checkFromIndexSize(offset, length, buffer.length);
    List<Chunk> chunks = new ArrayList<>(Math.ceilDiv(length, chunkMax));
    int end = offset + length;
    int from = offset;
    while (from < end) {
      int to = from + Math.min(chunkMax, end - from);
      chunks.add(Chunk.of(Arrays.copyOfRange(buffer, from, to)));
      from = to;
    }
    return chunks;
  }
}
