package io.hypersync.raptorq;

import java.util.Arrays;
import java.util.Objects;

/**
 * Makes repair symbols (RFC 6330 section 5.3). Source symbols need no encoder: they are the data,
 * cut by {@link SourceBlock}. Has no state; may be used from any thread.
 */
public final class Encoder {
  private final Code code;
  private final SourceBlock block;

  /**
   * Creates an encoder for blocks like this one.
   *
   * @throws IllegalArgumentException if the code is for another number of source symbols
   */
  public Encoder(Code code, SourceBlock block) {
    this.code = code;
    this.block = requireFit(code, block);
  }

  /**
   * Makes repair symbols with consecutive ids.
   *
   * @param data has the block, which begins at {@code offset}
   * @param firstId id (ESI) of the first one, at least K
   * @param count how many; the last id is at most {@link Code#MAX_ID}
   * @param to where the symbols go, T bytes each, from {@code toOffset} on
   * @throws IllegalArgumentException for ids that are not of repair symbols
   * @throws IndexOutOfBoundsException if block or symbols are not inside their arrays
   */
  public void repair(byte[] data, int offset, int firstId, int count, byte[] to, int toOffset) {
    if (firstId < block.sourceSymbols() || count < 0 || count > Code.MAX_ID + 1 - firstId) {
      throw new IllegalArgumentException(count + " repair symbols from id " + firstId);
    }
    int symbolBytes = block.symbolBytes();
    Objects.checkFromIndexSize(offset, block.dataBytes(), data.length);
    Objects.checkFromIndexSize((long) toOffset, (long) count * symbolBytes, (long) to.length);
    Arrays.fill(to, toOffset, toOffset + count * symbolBytes, (byte) 0);
    byte[][] factors = new byte[count][];
    for (int repair = 0; repair < count; repair++) {
      factors[repair] = code.factors(firstId + repair);
    }
    OctetRows octets = code.octets();
    // A tile of a source symbol is in the nearest cache while all repair symbols take it.
    for (int tile = 0; tile < symbolBytes; tile += Tiles.BYTES) {
      for (int source = 0; source < block.sourceSymbols(); source++) {
        int from = offset + block.sourceOffset(source) + tile;
        int length = Tiles.length(tile, block.sourceBytes(source));
        for (int repair = 0; length > 0 && repair < count; repair++) {
          int at = toOffset + repair * symbolBytes + tile;
          octets.multiplyAdd(to, at, data, from, length, factors[repair][source] & 0xFF);
        }
      }
    }
  }

  static SourceBlock requireFit(Code code, SourceBlock block) {
    if (code.sourceSymbols() != block.sourceSymbols()) {
      throw new IllegalArgumentException(
          "a code for " + code.sourceSymbols() + " source symbols, and a block of " + block);
    }
    return block;
  }
}
