package io.hypersync.model.op;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;

/**
 * A reference to a chunk: its hash and length (hypersync.md 7.3, 9.1).
 *
 * @param hash BLAKE3 of the bytes
 * @param length in bytes, 1 to {@link #MAX_LENGTH}; 0 only for {@link #EMPTY}
 */
public record ChunkRef(Hash hash, int length) {
  /** Maximum length of a chunk, in bytes. */
  public static final int MAX_LENGTH = 64 * 1024;

  /**
   * The empty value of an extended attribute. It occurs in ops and in the state, but is never
   * stored or sent as a chunk.
   */
  public static final ChunkRef EMPTY = new ChunkRef(Blake3.hash(new byte[0]), 0);

  /** Rejects a length out of range. */
  public ChunkRef {
    if (length < 0 || length > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "a chunk of " + Integer.toUnsignedString(length) + " bytes");
    }
  }
}
