package io.hypersync.chunkstore;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/**
 * A chunk: its bytes and their hash (hypersync.md 9.1). Equality is that of the hash.
 *
 * @param hash BLAKE3 of the bytes; the constructor does not verify it, see {@link #of}, {@link
 *     #verified} and {@link #isIntact}
 * @param bytes 0 to {@link Chunker#MAX_CHUNK_BYTES}; shared, not copied, and must not be changed
 */
public record Chunk(Hash hash, byte[] bytes) {
  /** Rejects a chunk that is too long. */
  public Chunk {
    if (bytes.length > Chunker.MAX_CHUNK_BYTES) {
      throw new IllegalArgumentException("chunk too long: " + bytes.length + " bytes");
    }
  }

  /** A chunk of these bytes, which are hashed but not copied. */
  public static Chunk of(byte[] bytes) {
    return new Chunk(Blake3.hash(bytes), bytes);
  }

  /**
   * A chunk received from another process, with its hash verified.
   *
   * @throws ChunkStoreException {@link Errno#EIO} if the bytes do not have this hash
   */
  public static Chunk verified(Hash hash, byte[] bytes) {
    Chunk chunk = new Chunk(hash, bytes);
    chunk.requireIntact();
    return chunk;
  }

  /**
   * Splits the inline payload of a log entry into the chunks of its op (hypersync.md 9.2). Hashes
   * are not verified.
   *
   * @param chunks the chunks of the op, in order
   * @param payload the bytes of all of them, concatenated; if it is a single chunk the array is
   *     shared and must not be changed
   * @param wanted selects the chunks to return; others are skipped without being copied
   */
  public static List<Chunk> split(
      List<ChunkRef> chunks, byte[] payload, Predicate<ChunkRef> wanted) {
    List<Chunk> pieces = new ArrayList<>(chunks.size());
    int at = 0;
    for (ChunkRef ref : chunks) {
      if (wanted.test(ref)) {
        byte[] bytes =
            ref.length() == payload.length
                ? payload
                : Arrays.copyOfRange(payload, at, at + ref.length());
        pieces.add(new Chunk(ref.hash(), bytes));
      }
      at += ref.length();
    }
    return pieces;
  }

  /** The reference to this chunk, as ops contain it. */
  public ChunkRef ref() {
    return new ChunkRef(hash, bytes.length);
  }

  /**
   * Whether the bytes have the hash; must be checked for every chunk from another process or a
   * disk.
   */
  public boolean isIntact() {
    return Blake3.hash(bytes).equals(hash);
  }

  /**
   * Checks that received bytes have the hash.
   *
   * @throws ChunkStoreException {@link Errno#EIO} if they do not
   */
  public void requireIntact() {
    if (!isIntact()) {
      throw new ChunkStoreException(Errno.EIO, "received bytes do not match the hash " + hash);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Chunk chunk && hash.equals(chunk.hash);
  }

  @Override
  public int hashCode() {
    return hash.hashCode();
  }

  @Override
  public String toString() {
    return hash + "+" + bytes.length;
  }
}
