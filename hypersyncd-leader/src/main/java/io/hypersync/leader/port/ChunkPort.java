package io.hypersync.leader.port;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.wire.message.WorkerMessage.ChunkCopy;
import io.hypersync.wire.message.WorkerMessage.ChunkPut;
import io.hypersync.wire.transport.SessionId;
import java.util.List;

/**
 * Access to the leader's chunk store. Hashing and reads of chunks happen off the agent's thread;
 * results come back as calls of {@code LeaderAgent.chunkStored}, {@code chunkRefused} and {@code
 * chunkUnreadable}. {@link #length} is a lookup in the index on the calling thread and may wait for
 * the disk.
 */
public interface ChunkPort {
  /**
   * The length in bytes of a chunk that the store holds, {@link ChunkStore#NOT_HERE} if it does not
   * hold it. A chunk that was found is made durable by the next sync of the store. Does not show
   * that the chunk can be read.
   */
  int length(Hash hash);

  /**
   * Reads a chunk that the store holds and compares it with its hash, then calls back: {@code
   * chunkStored} if it is intact, else {@code chunkUnreadable} (hypersync.md 9.3, 22.1). Exactly
   * one of the two is called, also after an error, unless the leader stops.
   */
  void verify(Hash hash);

  /**
   * Verifies the hash and stores the bytes, then calls back: {@code chunkStored} or {@code
   * chunkRefused} (hypersync.md 9.3).
   */
  void ingest(SessionId session, ChunkPut chunk);

  /**
   * Verifies the hash and stores the bytes of a chunk that the leader has asked for, then calls
   * back: {@code chunkStored} or {@code copyRefused}.
   */
  void ingest(SessionId session, ChunkCopy chunk);

  /**
   * Stores the chunks of an inline payload, asynchronously and best-effort. They are not synced:
   * recovery restores them from the log.
   */
  void storeInline(List<ChunkRef> chunks, byte[] payload);

  /**
   * Reads the chunks and sends them to the session on its bulk stream. Calls back with {@code
   * chunkMissing} for each that cannot be read.
   */
  void serve(SessionId session, List<ChunkRef> chunks);

  /** Sends chunks to all workers at once. */
  default MulticastPort multicast() {
    return MulticastPort.NONE;
  }

  /**
   * As {@link #serve}, for chunks that the session has not asked for: what it asks for may go
   * before them.
   */
  default void push(SessionId session, List<ChunkRef> chunks) {
    serve(session, chunks);
  }

  /**
   * Reads a chunk and sends it to the session as symbols in datagrams. If it cannot be read nothing
   * is sent, and the worker asks for it.
   *
   * @param push its number among the chunks that are sent so on this connection, from 1 on
   * @param symbolBytes T, at most what a datagram to this session takes
   * @param repair how many repair symbols are sent beside the source symbols, 0 or more
   * @param handedOver run on the agent's thread, later, when the symbols are with the transport, or
   *     there are none
   */
  void sendSymbols(
      SessionId session,
      long push,
      ChunkRef chunk,
      int symbolBytes,
      int repair,
      Runnable handedOver);
}
