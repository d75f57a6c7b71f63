package io.hypersync.raptorq;

/**
 * A block of data, cut into source symbols of one size. The last one may be short: then zeros stand
 * behind it, which are neither kept nor sent.
 *
 * @param dataBytes length of the data, at least 1
 * @param symbolBytes T, {@link #MIN_SYMBOL_BYTES} to {@link #MAX_SYMBOL_BYTES}
 */
public record SourceBlock(int dataBytes, int symbolBytes) {
  /** The smallest symbol. */
  public static final int MIN_SYMBOL_BYTES = 8;

  /** The largest symbol. */
  public static final int MAX_SYMBOL_BYTES = 64 << 10;

  /**
   * Cuts a block.
   *
   * @throws IllegalArgumentException unless {@link #isValid}
   */
  public SourceBlock {
    if (!isValid(dataBytes, symbolBytes)) {
      throw new IllegalArgumentException(
          dataBytes + " bytes in symbols of " + symbolBytes + " bytes");
    }
  }

  /** Whether there is a block of so many bytes in symbols of so many bytes. */
  public static boolean isValid(int dataBytes, int symbolBytes) {
    return symbolBytes >= MIN_SYMBOL_BYTES
        && symbolBytes <= MAX_SYMBOL_BYTES
        && dataBytes >= 1
        && dataBytes <= Code.MAX_SOURCE_SYMBOLS * symbolBytes;
  }

  /** K: the number of source symbols. */
  public int sourceSymbols() {
    return (dataBytes + symbolBytes - 1) / symbolBytes;
  }

  /** Where a source symbol begins in the data, in bytes. */
  public int sourceOffset(int id) {
    return id * symbolBytes;
  }

  /** How many bytes of data a source symbol has: T, or fewer if it is the last one. */
  public int sourceBytes(int id) {
    return Math.min(symbolBytes, dataBytes - sourceOffset(id));
  }

  /**
   * Whether a symbol with this id and length can be of this block.
   *
   * @param id encoding symbol id (ESI): below K that of a source symbol, then of repair symbols
   * @param bytes length of the symbol as received: T, or that of a last source symbol without zeros
   */
  public boolean accepts(int id, int bytes) {
    return id >= 0
        && id <= Code.MAX_ID
        && (bytes == symbolBytes || (id == sourceSymbols() - 1 && bytes == sourceBytes(id)));
  }
}
