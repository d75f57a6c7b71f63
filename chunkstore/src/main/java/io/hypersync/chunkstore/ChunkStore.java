package io.hypersync.chunkstore;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where chunks are kept by their hash (hypersync.md 4.1, 9). All methods may be called from any
 * thread; those of a store on disk block in native code, so call them from platform threads.
 *
 * <p>Every method throws {@link ChunkStoreException} when the storage fails, with {@link
 * Errno#ENOSPC} when it is full: reads go on then, and the same call succeeds once there is space
 * again. After {@link #close} every method throws {@link IllegalStateException}.
 */
public interface ChunkStore extends AutoCloseable {
  /** What {@link #length} answers for a chunk that is not here. */
  int NOT_HERE = -1;

  /**
   * How many bytes the chunk has, or {@link #NOT_HERE}; says nothing about whether it is intact or
   * durable.
   */
  int length(Hash hash);

  /** Whether the chunk is here; says nothing about whether it is intact or durable. */
  default boolean contains(Hash hash) {
    return length(hash) != NOT_HERE;
  }

  /**
   * Whether the chunk is here, and a short while ago was stored here or read well, so that nobody
   * need look again. A store that does not remember that says no.
   */
  default boolean isKnownIntact(Hash hash) {
    return false;
  }

  /**
   * The bytes as they were found, unverified: for a caller that checks them anyway.
   *
   * @return a new array, or null if the chunk is not here
   */
  byte @Nullable [] get(Hash hash);

  /**
   * The bytes, after a check that they hash to {@code hash}: for everything that is applied, served
   * or sent on (hypersync.md 22.1). A copy that cannot be read, or hashes to something else, does
   * not count from then on: the chunk {@linkplain #contains is not here}, so that whoever asks has
   * it stored again. That ends when it is stored, or read well, or the store is opened again.
   *
   * @return a new array, or null if the chunk is not here
   * @throws ChunkStoreException {@link Errno#EIO} if it is here and is not what it was
   */
  byte @Nullable [] getVerified(Hash hash);

  /**
   * Lets bytes pass that were read from a store.
   *
   * @throws ChunkStoreException {@link Errno#EIO} if they do not hash to the hash
   */
  static void requireIntact(Hash hash, byte[] bytes) {
    if (!Blake3.hash(bytes).equals(hash)) {
      throw new ChunkStoreException(
          Errno.EIO,
          "chunk " + hash + " is damaged: its " + bytes.length + " bytes hash to something else");
    }
  }

  /**
   * Stores a chunk, durable only after {@link #sync}. Storing it again changes nothing, except that
   * it repairs a damaged copy; it does cost a write, so ask {@link #contains} first where repeats
   * are likely.
   *
   * @param bytes what hashes to {@code hash}, which the caller has made sure of; not kept
   */
  void put(Hash hash, byte[] bytes);

  /**
   * Stores chunks as {@link #put} does, with less work for each: their bytes, which nobody changes,
   * may be kept. After a failure or a crash some may be there and some not.
   */
  void putAll(List<Chunk> chunks);

  /** Throws what {@link #put} would throw now for lack of space, and does nothing else. */
  void requireSpace();

  /**
   * Returns when every chunk whose {@code put} has returned before this call is on stable storage.
   * Concurrent calls are fine; one with nothing new to sync costs nothing.
   */
  void sync();

  /** What the store holds, for status and metrics (hypersync.md 16). */
  ChunkStoreStats stats();

  /** Releases the storage; does not sync. Closing again has no effect. */
  @Override
  void close();
}
