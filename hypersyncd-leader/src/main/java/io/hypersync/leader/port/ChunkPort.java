package io.hypersync.leader.port;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.wire.message.WorkerMessage.ChunkPut;
import io.hypersync.wire.transport.SessionId;
import java.util.List;

/**
 * The leader's chunks. Hashing and disk work are done behind this port, off the agent's thread; the
 * results come back as calls of {@code LeaderAgent.chunkStored}, {@code chunkRefused} and {@code
 * chunkUnreadable}.
 */
public interface ChunkPort {
  /**
   * The length of a chunk that the store holds, so that the next sync of the store makes it
   * durable; {@link ChunkStore#NOT_HERE} if it does not. Says nothing about whether it can be read.
   */
  int length(Hash hash);

  /**
   * Reads a chunk that the store holds and compares it with its hash, then calls back: {@code
   * chunkStored} if it is intact, else {@code chunkUnreadable} (hypersync.md 9.3, 22.1). One of the
   * two is called, whatever happens, unless the leader stops.
   */
  void verify(Hash hash);

  /** Verifies the hash and stores the bytes, then calls back (hypersync.md 9.3). */
  void ingest(SessionId session, ChunkPut chunk);

  /**
   * Stores small chunks whose bytes are in the log entry too, soon and if it can. Not synced:
   * recovery restores them from the log.
   */
  void storeInline(List<ChunkRef> chunks, byte[] payload);

  /** Reads the chunks and sends them to the session on its bulk stream. */
  void serve(SessionId session, List<ChunkRef> chunks);
}
