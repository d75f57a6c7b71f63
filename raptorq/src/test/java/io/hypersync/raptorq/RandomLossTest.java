package io.hypersync.raptorq;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** {@code -Dhypersync.raptorq.seed} repeats a run, {@code .rounds} makes it longer. */
@DisplayName("Any symbols that are enough")
final class RandomLossTest {
  private static final long SEED = Long.getLong("hypersync.raptorq.seed", System.nanoTime());
  private static final int ROUNDS = Integer.getInteger("hypersync.raptorq.rounds", 300);
  private static final int SMALL_K = 60;

  @Test
  @DisplayName("give the data, for every K")
  void everyK() {
    for (int round = 0; round < ROUNDS; round++) {
      Random random = random(round);
      // Half of them are small, as in use; small ones are also those with the most padding.
      int k = 1 + random.nextInt(random.nextBoolean() ? SMALL_K : Code.MAX_SOURCE_SYMBOLS);
      Symbols symbols = Symbols.random(Code.of(k), 8 + random.nextInt(90), random);
      String where = where(round) + " K " + k;
      Decoder decoder = new Decoder(symbols.code(), symbols.block());
      int taken = 0;
      for (int id : ids(k, k + Decoder.SPARE_SYMBOLS, random)) {
        boolean enough = symbols.addTo(decoder, id);
        assertEquals(++taken >= k, enough, where);
        if (enough && decoder.decode().isPresent()) {
          break;
        }
      }
      assertArrayEquals(symbols.data(), decoder.decode().orElseThrow(), where);
      assertTrue(taken <= k + 3, where + " needed " + taken);
    }
  }

  /**
   * The decoder solves for missing source symbols, RFC 6330 for all intermediate symbols; both must
   * succeed on the same symbols. With few source symbols and many rounds both fail now and then.
   */
  @Test
  @DisplayName("are those that are enough for the equations of RFC 6330, with the same data")
  void fullSystem() {
    int failed = 0;
    for (int round = 0; round < 10 * ROUNDS; round++) {
      Random random = random(round);
      int k = 1 + random.nextInt(30);
      Symbols symbols = Symbols.random(code(k), 8, random);
      List<Integer> ids = ids(k, k, random);
      Decoder decoder = new Decoder(symbols.code(), symbols.block());
      ids.forEach(id -> symbols.addTo(decoder, id));
      Optional<byte[]> data = decoder.decode();
      Optional<byte[]> reference = reference(symbols, ids);
      String where = where(round) + " K " + k + " ids " + ids;
      assertEquals(reference.isPresent(), data.isPresent(), where);
      if (data.isPresent()) {
        assertArrayEquals(symbols.data(), reference.orElseThrow(), where);
        assertArrayEquals(symbols.data(), data.orElseThrow(), where);
      } else {
        failed++;
      }
    }
    assertTrue(failed > 0, "no set of symbols was not enough: the rounds prove only one direction");
  }

  private final Code[] codes = new Code[Code.MAX_SOURCE_SYMBOLS + 1];

  private Code code(int k) {
    if (codes[k] == null) {
      codes[k] = Code.of(k);
    }
    return codes[k];
  }

  /** Decodes as section 5.4 says: all intermediate symbols first, then the source symbols. */
  private static Optional<byte[]> reference(Symbols symbols, List<Integer> ids) {
    int k = symbols.block().sourceSymbols();
    int symbolBytes = symbols.block().symbolBytes();
    SystematicIndex index = SystematicIndex.of(k);
    int padding = index.paddedSymbols() - k;
    int[] internalIds = new int[padding + ids.size()];
    List<byte[]> values = new ArrayList<>();
    for (int i = 0; i < padding; i++) {
      internalIds[i] = k + i;
      values.add(new byte[symbolBytes]);
    }
    for (int i = 0; i < ids.size(); i++) {
      int id = ids.get(i);
      internalIds[padding + i] = id < k ? id : id + padding;
      values.add(symbols.symbol(id));
    }
    return IntermediateSymbols.solve(index, internalIds, values, OctetRows.best())
        .map(intermediate -> sources(symbols, new Tuples(index), intermediate));
  }

  private static byte[] sources(Symbols symbols, Tuples tuples, byte[][] intermediate) {
    int symbolBytes = symbols.block().symbolBytes();
    byte[] data = new byte[symbols.block().sourceSymbols() * symbolBytes];
    for (int id = 0; id < symbols.block().sourceSymbols(); id++) {
      for (int neighbour : tuples.neighbours(id)) {
        OctetRows.scalar()
            .multiplyAdd(data, id * symbolBytes, intermediate[neighbour], 0, symbolBytes, 1);
      }
    }
    return Arrays.copyOf(data, symbols.data().length);
  }

  /** Distinct ids in random order; how many are of repair symbols is random, too. */
  private static List<Integer> ids(int k, int count, Random random) {
    Set<Integer> ids = new LinkedHashSet<>();
    double kept = random.nextDouble();
    for (int id = 0; id < k; id++) {
      if (random.nextDouble() < kept) {
        ids.add(id);
      }
    }
    int range = random.nextBoolean() ? 2 * count : Code.MAX_ID + 1 - k;
    while (ids.size() < count) {
      ids.add(k + random.nextInt(range));
    }
    List<Integer> shuffled = new ArrayList<>(ids);
    Collections.shuffle(shuffled, random);
    return shuffled;
  }

  private static Random random(int round) {
    return new Random(SEED * 31 + round);
  }

  private static String where(int round) {
    return "seed " + SEED + " round " + round;
  }
}
