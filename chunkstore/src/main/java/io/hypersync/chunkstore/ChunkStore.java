package io.hypersync.chunkstore;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Stores chunks by hash, equal chunks once (hypersync.md 4.1, 9). All methods may be called from
 * any thread; those of a store on disk block in native code, so call them from platform threads.
 *
 * <p>Every method throws {@link ChunkStoreException} if the storage fails. The errno is {@link
 * Errno#ENOSPC} if it is full: reads still work then, and the same call succeeds once there is
 * space again. After {@link #close} every method throws {@link IllegalStateException}.
 */
public interface ChunkStore extends AutoCloseable {
  /** Result of {@link #length} for a chunk that is not in the store. */
  int NOT_HERE = -1;

  /**
   * The length of the chunk in bytes, or {@link #NOT_HERE}. Does not mean that the chunk is intact
   * or durable.
   */
  int length(Hash hash);

  /** Whether the chunk is in the store. Does not mean that it is intact or durable. */
  default boolean contains(Hash hash) {
    return length(hash) != NOT_HERE;
  }

  /**
   * Whether the chunk is in the store and was stored or successfully verified so recently that it
   * need not be read again. Always false in a store that does not keep track of that.
   */
  default boolean isKnownVerified(Hash hash) {
    return false;
  }

  /**
   * Reads the chunk without verification, for a caller that verifies the bytes itself.
   *
   * @return a new array, or null if the chunk is not in the store
   */
  byte @Nullable [] get(Hash hash);

  /**
   * Reads the chunk and verifies that its bytes have the hash; required for everything that is
   * applied, served or sent on (hypersync.md 22.1). A copy that cannot be read, or has another
   * hash, is treated as missing from then on: {@link #contains} returns false, so that callers have
   * the chunk stored again. That ends when the chunk is stored again, when the copy is read
   * successfully, or when the store is reopened.
   *
   * @return a new array, or null if the chunk is not in the store
   * @throws ChunkStoreException {@link Errno#EIO} if the chunk is in the store but damaged
   */
  byte @Nullable [] getVerified(Hash hash);

  /**
   * Like {@link #getVerified}, but reads what the storage has: not what is in memory in front of
   * it, and past the kernel's page cache where the file system allows that. So it finds what has
   * rotted beneath a cache, and takes no room there from others. For a caller that reads
   * everything, such as a scrub.
   */
  default byte @Nullable [] getVerifiedFromDisk(Hash hash) {
    return getVerified(hash);
  }

  /**
   * Checks that bytes that were read from a store have this hash.
   *
   * @throws ChunkStoreException {@link Errno#EIO} if they do not
   */
  static void requireIntact(Hash hash, byte[] bytes) {
    if (!Blake3.hash(bytes).equals(hash)) {
      throw new ChunkStoreException(
          Errno.EIO,
          "chunk " + hash + " is damaged: its " + bytes.length + " bytes hash to something else");
    }
  }

  /**
   * Stores a chunk. It is durable only after {@link #sync}. Storing a chunk again has no effect
   * except that it repairs a damaged copy; it costs a write, so call {@link #contains} first where
   * repeats are likely.
   *
   * @param hash BLAKE3 of the bytes; not verified here, so the caller must have done that
   * @param bytes not kept; the caller may change them afterwards
   */
  void put(Hash hash, byte[] bytes);

  /**
   * Stores chunks like {@link #put}, with less overhead per chunk. Their bytes may be kept and must
   * not be changed. After a failure or a crash, any subset of them may be stored.
   */
  void putAll(List<Chunk> chunks);

  /**
   * Stores chunks like {@link #putAll}, for a caller that makes room by it: it may use most of the
   * space that is kept free of others. So a full disk does not keep the leader from the snapshot
   * without which nothing can be collected.
   *
   * @throws ChunkStoreException {@link Errno#ENOSPC} if that is used up, too
   */
  default void putAllToMakeRoom(List<Chunk> chunks) {
    putAll(chunks);
  }

  /**
   * Checks for free space without writing anything.
   *
   * @throws ChunkStoreException {@link Errno#ENOSPC} if {@link #put} would fail now for lack of
   *     space
   */
  void requireSpace();

  /**
   * Makes chunks durable: blocks until every chunk whose {@code put} returned before this call is
   * on stable storage. May be called concurrently; costs nothing if there is nothing new to sync.
   */
  void sync();

  /** Begins a collection of dead chunks with {@link CollectionOptions#DEFAULT}. */
  default CollectionRun beginCollection() {
    return beginCollection(CollectionOptions.DEFAULT);
  }

  /**
   * Begins a collection of dead chunks (hypersync.md 14.2). From when this method returns until the
   * run ends, the store keeps all chunks that are put, and all of which it says that they are here.
   *
   * @throws ChunkStoreException {@link Errno#EBUSY} if a collection is running
   */
  CollectionRun beginCollection(CollectionOptions options);

  /**
   * Tells which chunks were stored last, for a cache that has to become smaller. Chunks that a
   * collection has copied count as stored then.
   *
   * @param bytes how much was stored since, about
   * @return whether a chunk is here and among these. A collection may remove it all the same: what
   *     this says promises nothing
   * @throws ChunkStoreException if the storage fails, at this call or at those of the result
   */
  Predicate<Hash> newest(long bytes);

  /** Size of the store, for status and metrics (hypersync.md 16). */
  ChunkStoreStats stats();

  /** Releases the storage without a sync. Closing twice has no effect. */
  @Override
  void close();
}
