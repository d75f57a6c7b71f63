package io.hypersync.worker.dataplane;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.raptorq.Codes;
import io.hypersync.raptorq.Decoder;
import io.hypersync.raptorq.SourceBlock;
import io.hypersync.wire.message.ChunkSymbol;
import org.jspecify.annotations.Nullable;

/** Makes chunks of symbols. Not thread-safe: it keeps the codes that were used lately. */
public final class BlockDecoder {
  /** Several hundred codes for chunks in symbols of one packet, and some large ones. */
  private static final long CODES_BYTES = 4L << 20;

  private final Codes codes = new Codes(CODES_BYTES);

  /** The bytes, which match the hash; null if the symbols are not enough, or not right. */
  public byte @Nullable [] decode(ReceivedBlock received) {
    SourceBlock block = received.block();
    Decoder decoder = new Decoder(codes.of(block.sourceSymbols()), block);
    for (ChunkSymbol symbol : received.symbols()) {
      boolean _ = decoder.add(symbol.id(), symbol.bytes(), 0, symbol.bytes().length);
    }
    return decoder.decode().filter(bytes -> isIntact(received.chunk(), bytes)).orElse(null);
  }

  /** Symbols may be wrong, and nothing else shows it (hypersync.md 12.3). */
  private static boolean isIntact(Hash chunk, byte[] bytes) {
    return Blake3.hash(bytes).equals(chunk);
  }
}
