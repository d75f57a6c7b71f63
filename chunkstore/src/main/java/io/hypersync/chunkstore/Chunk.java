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
 * A chunk with its bytes (hypersync.md 9.1). Two chunks with the same hash are the same chunk.
 *
 * @param hash BLAKE3 of the bytes; the constructor believes the caller, see {@link #of} and {@link
 *     #isIntact}
 * @param bytes 0 to {@link Chunker#MAX_CHUNK_BYTES}; shared, not copied: nobody may change them
 */
public record Chunk(Hash hash, byte[] bytes) {
  /** Rejects a chunk that is too long. */
  public Chunk {
    if (bytes.length > Chunker.MAX_CHUNK_BYTES) {
      throw new IllegalArgumentException("chunk too long: " + bytes.length + " bytes");
    }
  }

  /** Hashes the bytes. */
  public static Chunk of(byte[] bytes) {
    return new Chunk(Blake3.hash(bytes), bytes);
  }

  /**
   * A chunk that came from elsewhere.
   *
   * @throws ChunkStoreException {@link Errno#EIO} if the bytes do not hash to that
   */
  public static Chunk verified(Hash hash, byte[] bytes) {
    Chunk chunk = new Chunk(hash, bytes);
    chunk.requireIntact();
    return chunk;
  }

  /**
   * The chunks of an op whose bytes travel inside its entry, one after another (hypersync.md 9.2).
   * They are not verified.
   *
   * @param payload as long as all of them together; shared if it is one chunk: nobody may change it
   * @param wanted those that are not wanted are not copied
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

  /** The chunk as an op mentions it. */
  public ChunkRef ref() {
    return new ChunkRef(hash, bytes.length);
  }

  /** Whether the bytes hash to the hash: to be asked about everything that came from elsewhere. */
  public boolean isIntact() {
    return Blake3.hash(bytes).equals(hash);
  }

  /**
   * Lets what came from elsewhere pass if it is what it says.
   *
   * @throws ChunkStoreException {@link Errno#EIO} if the bytes do not hash to the hash
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
