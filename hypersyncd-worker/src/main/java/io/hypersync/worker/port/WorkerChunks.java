package io.hypersync.worker.port;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import java.util.List;

/** The worker's local chunks. */
public interface WorkerChunks {
  /** What is known of a chunk without looking at its bytes. */
  enum Presence {
    /** It is not here. */
    MISSING,
    /** It was here when somebody last looked, which is long ago. */
    UNVERIFIED,
    /** It was stored, or read and compared with its hash, a short while ago. */
    INTACT
  }

  /**
   * Whether the chunk is here.
   *
   * @throws ChunkStoreException if that cannot be found out
   */
  Presence presence(Hash hash) throws ChunkStoreException;

  /**
   * Reads a chunk that is here and compares it with its hash, off the agent's thread; then {@code
   * WorkerAgent.chunkStored} is called, or {@code chunkDamaged} if it cannot be used: one of the
   * two, whatever happens, unless the worker stops.
   */
  void verify(ChunkRef chunk);

  /**
   * Verifies and stores the chunks which travelled inside an entry, before it is applied. Does not
   * wait for the disk: the agent's thread has callers to answer.
   *
   * @throws ChunkStoreException with EIO if a hash does not match, EAGAIN if the disk is behind and
   *     the same call may succeed soon, or what the disk says
   */
  void storeInline(List<ChunkRef> chunks, byte[] payload) throws ChunkStoreException;

  /**
   * Verifies and stores a chunk that the leader has sent, off the agent's thread; then {@code
   * WorkerAgent.chunkStored} or {@code chunkFailed} is called.
   */
  void ingest(Hash hash, byte[] bytes);
}
