package io.hypersync.wire.message;

import io.hypersync.model.hash.Hash;

/**
 * One RaptorQ symbol of a chunk, in one datagram: ChunkSymbolFrame of hypersync.md 9.5. The leader
 * sends it unasked. Nothing of it is believed before the whole chunk matches its hash.
 *
 * @param push number of the chunk among those that were sent to this worker on this connection, 1
 *     to 2^32-1: the worker tells how far it is (DecodeProgress); {@link #TO_ALL} in a multicast
 *     packet
 * @param chunk hash of the chunk
 * @param chunkBytes length of the chunk, 1 to 65536
 * @param symbolBytes T, the length of all symbols but perhaps the last source symbol, 8 to 65535
 * @param id encoding symbol id (RFC 6330): below K that of a source symbol, then of repair symbols;
 *     at most {@link #MAX_ID}
 * @param bytes the symbol
 */
public record ChunkSymbol(
    long push, Hash chunk, int chunkBytes, int symbolBytes, int id, byte[] bytes) {
  /** The {@link #push} of what goes to all workers at once. */
  public static final long TO_ALL = 0;

  /** The highest encoding symbol id: 24 bits. */
  public static final int MAX_ID = (1 << 24) - 1;
}
