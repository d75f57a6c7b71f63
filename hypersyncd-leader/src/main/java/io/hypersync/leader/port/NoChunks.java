package io.hypersync.leader.port;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.wire.message.WorkerMessage.ChunkCopy;
import io.hypersync.wire.message.WorkerMessage.ChunkPut;
import io.hypersync.wire.transport.SessionId;
import java.util.List;

/**
 * A store without chunks, which drops what it is given: for a leader whose entries never refer to
 * chunks.
 */
public class NoChunks implements ChunkPort {
  @Override
  public int length(Hash hash) {
    return ChunkStore.NOT_HERE;
  }

  @Override
  public void verify(Hash hash) {}

  @Override
  public void ingest(SessionId session, ChunkPut chunk) {}

  @Override
  public void ingest(SessionId session, ChunkCopy chunk) {}

  @Override
  public void storeInline(List<ChunkRef> chunks, byte[] payload) {}

  @Override
  public void serve(SessionId session, List<ChunkRef> chunks) {}

  @Override
  public void sendSymbols(
      SessionId session,
      long push,
      ChunkRef chunk,
      int symbolBytes,
      int repair,
      Runnable handedOver) {}
}
