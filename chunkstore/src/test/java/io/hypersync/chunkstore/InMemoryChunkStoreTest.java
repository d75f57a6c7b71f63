package io.hypersync.chunkstore;

class InMemoryChunkStoreTest extends ChunkStoreContract {
  @Override
  protected ChunkStore open() {
    return new InMemoryChunkStore();
  }
}
