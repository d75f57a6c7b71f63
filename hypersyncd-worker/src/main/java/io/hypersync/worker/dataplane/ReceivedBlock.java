package io.hypersync.worker.dataplane;

import io.hypersync.model.hash.Hash;
import io.hypersync.raptorq.SourceBlock;
import io.hypersync.wire.message.ChunkSymbol;
import java.util.List;

/**
 * Symbols that should be enough for a chunk, different ones of one encoding.
 *
 * @param chunk its hash, with which the result must be compared
 */
public record ReceivedBlock(Hash chunk, SourceBlock block, List<ChunkSymbol> symbols) {
  /** Copies the list. */
  public ReceivedBlock {
    symbols = List.copyOf(symbols);
  }
}
