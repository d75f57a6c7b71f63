package io.hypersync.raptorq;

import java.util.Arrays;
import java.util.Random;

/** A block of random data and all its symbols, for tests. */
record Symbols(Code code, SourceBlock block, byte[] data) {
  static Symbols random(Code code, int symbolBytes, Random random) {
    int shortBy = random.nextInt(symbolBytes);
    return of(
        code, new SourceBlock(code.sourceSymbols() * symbolBytes - shortBy, symbolBytes), random);
  }

  static Symbols of(Code code, SourceBlock block, Random random) {
    byte[] data = new byte[block.dataBytes()];
    random.nextBytes(data);
    return new Symbols(code, block, data);
  }

  /** A symbol as it is sent: the last source symbol with its zeros. */
  byte[] symbol(int id) {
    if (id < block.sourceSymbols()) {
      int from = block.sourceOffset(id);
      return Arrays.copyOf(
          Arrays.copyOfRange(data, from, from + block.sourceBytes(id)), block.symbolBytes());
    }
    byte[] symbol = new byte[block.symbolBytes()];
    new Encoder(code, block).repair(data, 0, id, 1, symbol, 0);
    return symbol;
  }

  boolean addTo(Decoder decoder, int id) {
    return decoder.add(id, symbol(id), 0, block.symbolBytes());
  }
}
