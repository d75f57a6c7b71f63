package io.hypersync.model.op;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;

/**
 * A chunk as an op mentions it (hypersync.md 7.3, 9.1).
 *
 * @param hash BLAKE3 of the bytes
 * @param length 1 to {@link #MAX_LENGTH} bytes; 0 of {@link #EMPTY}
 */
public record ChunkRef(Hash hash, int length) {
  /** The largest chunk. */
  public static final int MAX_LENGTH = 64 * 1024;

  /** No bytes: an empty xattr value. It is mentioned, but never stored or sent. */
  public static final ChunkRef EMPTY = new ChunkRef(Blake3.hash(new byte[0]), 0);

  /** Rejects a length out of range. */
  public ChunkRef {
    if (length < 0 || length > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "a chunk of " + Integer.toUnsignedString(length) + " bytes");
    }
  }
}
