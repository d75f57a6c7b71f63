package io.hypersync.leader;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.leader.port.ChunkPort;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.wire.message.WorkerMessage.ChunkPut;
import io.hypersync.wire.transport.SessionId;
import java.util.List;

/** A chunk port of a store that stays empty. */
final class NoChunks implements ChunkPort {
  @Override
  public int length(Hash hash) {
    return ChunkStore.NOT_HERE;
  }

  @Override
  public void verify(Hash hash) {}

  @Override
  public void ingest(SessionId session, ChunkPut chunk) {}

  @Override
  public void storeInline(List<ChunkRef> chunks, byte[] payload) {}

  @Override
  public void serve(SessionId session, List<ChunkRef> chunks) {}
}
