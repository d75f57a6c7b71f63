package io.hypersync.worker.port;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import java.util.List;

/** The worker's local chunks. */
public interface WorkerChunks {
  /** Whether the chunk can be read here. */
  boolean contains(Hash hash);

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
