package io.hypersync.worker.port;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.worker.dataplane.ReceivedBlock;
import java.util.List;

/** Access to the worker's local chunk store for the agent. */
public interface WorkerChunks {
  /** What is known of a chunk without reading its bytes. */
  enum Presence {
    /** The store does not have it. */
    MISSING,
    /** The store has it, but its bytes were not verified lately. */
    UNVERIFIED,
    /** It was stored, or read and compared with its hash, a short while ago. */
    VERIFIED
  }

  /**
   * Looks up a chunk in the index of the store.
   *
   * @throws ChunkStoreException if the lookup fails
   */
  Presence presence(Hash hash) throws ChunkStoreException;

  /**
   * Reads a stored chunk and compares it with its hash, off the agent's thread. Then exactly one of
   * {@code WorkerAgent.chunkStored} and {@code chunkDamaged} (it cannot be used) is called, unless
   * the worker stops.
   */
  void verify(ChunkRef chunk);

  /**
   * Reads a chunk and compares it with its hash, off the agent's thread, because the leader has
   * lost it; then {@code WorkerAgent.chunkRead} is called, unless the worker stops.
   */
  void read(Hash hash);

  /**
   * Verifies and stores the chunks that arrived inside an entry, before the entry is applied. Does
   * not wait for the disk, since the agent's thread has callers to answer.
   *
   * @throws ChunkStoreException with EIO if a hash does not match, EAGAIN if the disk is behind and
   *     the same call may succeed soon, or the errno of the disk
   */
  void storeInline(List<ChunkRef> chunks, byte[] payload) throws ChunkStoreException;

  /**
   * Verifies and stores a chunk that the leader has sent, off the agent's thread; then {@code
   * WorkerAgent.chunkStored} or {@code chunkFailed} is called.
   */
  void ingest(Hash hash, byte[] bytes);

  /**
   * Decodes a chunk, compares it with its hash and stores it, off the agent's thread; then {@code
   * WorkerAgent.chunkStored}, {@code chunkFailed} or {@code chunkNotDecoded} is called.
   */
  void decode(ReceivedBlock block);
}
