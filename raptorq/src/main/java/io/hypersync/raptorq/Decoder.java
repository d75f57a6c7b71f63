package io.hypersync.raptorq;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Gets a block back from any of its symbols that are enough (RFC 6330 section 5.4).
 *
 * <p>It solves as many equations as source symbols are missing, instead of those for all
 * intermediate symbols as the RFC describes it. Both succeed on the same symbols: the intermediate
 * symbols and the source symbols determine each other, whatever the data, because the code is
 * systematic. So symbols that determine one determine the other.
 *
 * <p>What it gives is only as good as the symbols: a wrong one makes wrong data, which the caller
 * must find out by a hash. It keeps at most the data and K + {@link #SPARE_SYMBOLS} repair symbols.
 * Not thread-safe.
 */
public final class Decoder {
  /** How many repair symbols are kept beyond those that are needed to begin decoding. */
  public static final int SPARE_SYMBOLS = 8;

  private final Code code;
  private final SourceBlock block;
  private final byte[] data;

  /** Source symbols that have arrived. */
  private final BitSet received = new BitSet();

  private int missing;

  /**
   * Repair symbols in the order of arrival, but none that decoding has found to say nothing new.
   */
  private final List<Repair> repairs = new ArrayList<>();

  /**
   * What the first {@link #examined} repair symbols say about the missing source symbols, each row
   * with a one for the repair symbol itself; null if another source symbol has arrived since.
   */
  private @Nullable SmallSystem system;

  private int examined;

  private record Repair(int id, byte[] symbol) {}

  /**
   * Waits for the symbols of a block.
   *
   * @throws IllegalArgumentException if the code is for another number of source symbols
   */
  public Decoder(Code code, SourceBlock block) {
    this.code = code;
    this.block = Encoder.requireFit(code, block);
    data = new byte[block.dataBytes()];
    missing = block.sourceSymbols();
  }

  /** How many source symbols are neither received nor decoded; 0 when the block is complete. */
  public int missing() {
    return missing;
  }

  /**
   * Takes a symbol, and copies it. One that is known already, or that comes when enough are there,
   * changes nothing.
   *
   * @param id encoding symbol id (ESI)
   * @param symbol what remains of it is the symbol; it is read to its end
   * @return whether {@link #decode} is worth a try: it succeeds with a probability above 99 % with
   *     as many symbols as the block has, and 99.99 % with one more
   * @throws IllegalArgumentException unless {@link SourceBlock#accepts}
   */
  public boolean add(int id, ByteBuffer symbol) {
    int bytes = symbol.remaining();
    requireAccepted(id, bytes);
    if (!isWanted(id)) {
      symbol.position(symbol.limit());
    } else if (id < block.sourceSymbols()) {
      symbol.get(data, block.sourceOffset(id), block.sourceBytes(id));
      symbol.position(symbol.limit());
      arrived(id);
    } else {
      byte[] copy = new byte[bytes];
      symbol.get(copy);
      repairs.add(new Repair(id, copy));
    }
    return isEnough();
  }

  /**
   * Takes a symbol from an array, and copies it; otherwise as {@link #add(int, ByteBuffer)}.
   *
   * @throws IllegalArgumentException unless {@link SourceBlock#accepts}
   * @throws IndexOutOfBoundsException if the symbol is not inside the array
   */
  public boolean add(int id, byte[] from, int offset, int bytes) {
    requireAccepted(id, bytes);
    Objects.checkFromIndexSize(offset, bytes, from.length);
    if (isWanted(id)) {
      if (id < block.sourceSymbols()) {
        System.arraycopy(from, offset, data, block.sourceOffset(id), block.sourceBytes(id));
        arrived(id);
      } else {
        byte[] copy = new byte[bytes];
        System.arraycopy(from, offset, copy, 0, bytes);
        repairs.add(new Repair(id, copy));
      }
    }
    return isEnough();
  }

  /**
   * The data, if the symbols so far determine it; nothing if more are needed. The array is the
   * decoder's own: it is the same at each call.
   */
  public Optional<byte[]> decode() {
    if (missing > 0 && repairs.size() >= missing) {
      int[] absent = absent();
      SmallSystem solvable = examine(absent);
      if (solvable.rank() == missing) {
        restore(absent, solvable.solve());
      }
    }
    return missing == 0 ? Optional.of(data) : Optional.empty();
  }

  private void requireAccepted(int id, int bytes) {
    if (!block.accepts(id, bytes)) {
      throw new IllegalArgumentException("a symbol of " + bytes + " bytes with id " + id);
    }
  }

  private boolean isWanted(int id) {
    if (missing == 0) {
      return false;
    }
    if (id < block.sourceSymbols()) {
      return !received.get(id);
    }
    return repairs.size() < missing + SPARE_SYMBOLS
        && repairs.stream().noneMatch(repair -> repair.id == id);
  }

  private void arrived(int source) {
    received.set(source);
    missing--;
    system = null;
  }

  private boolean isEnough() {
    return repairs.size() >= missing;
  }

  private int[] absent() {
    int[] absent = new int[missing];
    int source = -1;
    for (int i = 0; i < missing; i++) {
      source = received.nextClearBit(source + 1);
      absent[i] = source;
    }
    return absent;
  }

  /** Looks at repair symbols until enough are independent, and drops those that are not. */
  private SmallSystem examine(int[] absent) {
    SmallSystem current = system;
    if (current == null) {
      current = new SmallSystem(missing, missing, code.octets());
      examined = 0;
    }
    while (examined < repairs.size() && current.rank() < missing) {
      byte[] factors = code.factors(repairs.get(examined).id);
      byte[] row = new byte[2 * missing];
      for (int i = 0; i < missing; i++) {
        row[i] = factors[absent[i]];
      }
      row[missing + examined] = 1;
      if (current.add(row)) {
        examined++;
      } else {
        // What others say of the missing symbols they still say when fewer are missing.
        repairs.remove(examined);
      }
    }
    system = current;
    return current;
  }

  /**
   * Computes the missing source symbols.
   *
   * @param inverse for each of them the factors of the repair symbols, less what these have of
   *     other source symbols
   */
  private void restore(int[] absent, byte[][] inverse) {
    byte[][] factors = new byte[missing][];
    for (int i = 0; i < missing; i++) {
      factors[i] = code.factors(repairs.get(i).id);
    }
    for (int tile = 0; tile < block.symbolBytes(); tile += Tiles.BYTES) {
      subtractReceived(tile, factors);
      multiply(tile, absent, inverse);
    }
    missing = 0;
    repairs.clear();
    system = null;
  }

  private void subtractReceived(int tile, byte[][] factors) {
    OctetRows octets = code.octets();
    for (int source = received.nextSetBit(0);
        source >= 0;
        source = received.nextSetBit(source + 1)) {
      int from = block.sourceOffset(source) + tile;
      int length = Tiles.length(tile, block.sourceBytes(source));
      for (int i = 0; length > 0 && i < missing; i++) {
        byte[] symbol = repairs.get(i).symbol;
        octets.multiplyAdd(symbol, tile, data, from, length, factors[i][source] & 0xFF);
      }
    }
  }

  private void multiply(int tile, int[] absent, byte[][] inverse) {
    OctetRows octets = code.octets();
    for (int i = 0; i < missing; i++) {
      byte[] symbol = repairs.get(i).symbol;
      for (int j = 0; j < missing; j++) {
        int to = block.sourceOffset(absent[j]) + tile;
        int length = Tiles.length(tile, block.sourceBytes(absent[j]));
        if (length > 0) {
          octets.multiplyAdd(data, to, symbol, tile, length, inverse[j][i] & 0xFF);
        }
      }
    }
  }
}
