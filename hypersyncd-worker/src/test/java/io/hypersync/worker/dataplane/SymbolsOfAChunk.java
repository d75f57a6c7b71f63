package io.hypersync.worker.dataplane;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.raptorq.Code;
import io.hypersync.raptorq.Encoder;
import io.hypersync.raptorq.SourceBlock;
import io.hypersync.wire.message.ChunkSymbol;
import java.util.Arrays;
import java.util.Random;

/** A chunk of random bytes, and any of its symbols. */
final class SymbolsOfAChunk {
  final byte[] data;
  final Hash hash;
  final SourceBlock block;
  private final long push;
  private final Encoder encoder;

  SymbolsOfAChunk(long push, int bytes, int symbolBytes) {
    this.push = push;
    data = new byte[bytes];
    new Random(push).nextBytes(data);
    hash = Blake3.hash(data);
    block = new SourceBlock(bytes, symbolBytes);
    encoder = new Encoder(Code.of(block.sourceSymbols()), block);
  }

  int sourceSymbols() {
    return block.sourceSymbols();
  }

  ChunkSymbol symbol(int id) {
    return new ChunkSymbol(push, hash, data.length, block.symbolBytes(), id, bytes(id));
  }

  private byte[] bytes(int id) {
    if (id < block.sourceSymbols()) {
      int from = block.sourceOffset(id);
      return Arrays.copyOfRange(data, from, from + block.sourceBytes(id));
    }
    byte[] repair = new byte[block.symbolBytes()];
    encoder.repair(data, 0, id, 1, repair, 0);
    return repair;
  }
}
