package io.hypersync.raptorq;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Whatever arrives, a decoder gives data or asks for more. Its data is right if all symbols were;
 * it throws only for what {@link SourceBlock#accepts} does not accept, and keeps little.
 *
 * <p>{@code -Dhypersync.fuzz.seed} repeats a run, {@code -Dhypersync.fuzz.seconds} sets its length.
 */
@DisplayName("Hostile symbols")
@Tag("slow")
final class HostileSymbolsTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int MAX_K = 40;

  private final Map<Integer, Code> codes = new HashMap<>();

  @Test
  @DisplayName("neither break a decoder nor make it keep more than it says")
  void fuzz() {
    long seed = Long.getLong("hypersync.fuzz.seed", System.nanoTime());
    double seconds = Double.parseDouble(System.getProperty("hypersync.fuzz.seconds", "3"));
    long end = System.nanoTime() + (long) (seconds * 1e9);
    int rounds = 0;
    int decoded = 0;
    for (; System.nanoTime() < end; rounds++) {
      if (round(new Random(seed * 31 + rounds), "seed " + seed + " round " + rounds)) {
        decoded++;
      }
    }
    System.out.printf("hostile symbols: seed %d, %d rounds, %d decoded%n", seed, rounds, decoded);
    assertTrue(decoded > 0 && decoded < rounds, decoded + " of " + rounds + " decoded");
  }

  /** One decoder and what it is given; returns whether it gave data in the end. */
  private boolean round(Random random, String where) {
    int k = 1 + random.nextInt(MAX_K);
    Symbols symbols =
        Symbols.random(codes.computeIfAbsent(k, Code::of), 8 + random.nextInt(100), random);
    SourceBlock block = symbols.block();
    Decoder decoder = new Decoder(symbols.code(), block);
    boolean honest = random.nextBoolean();
    int few = 1 + random.nextInt(3 * k);
    for (int i = 0; i < few; i++) {
      int id = id(k, random);
      byte[] symbol = honest && id >= 0 && id <= Code.MAX_ID ? symbols.symbol(id) : garbage(random);
      int bytes = random.nextInt(8) == 0 ? random.nextInt(symbol.length + 1) : symbol.length;
      boolean accepted = block.accepts(id, bytes);
      boolean taken = false;
      try {
        if (random.nextBoolean()) {
          decoder.add(id, symbol, 0, bytes);
        } else {
          decoder.add(id, ByteBuffer.wrap(symbol, 0, bytes));
        }
        taken = true;
      } catch (IllegalArgumentException refused) {
        assertTrue(!accepted, where + ": " + refused);
      }
      assertEquals(accepted, taken, where);
      if (random.nextInt(4) == 0) {
        decoder.decode();
      }
    }
    Optional<byte[]> data = decoder.decode();
    assertEquals(decoder.missing() == 0, data.isPresent(), where);
    if (data.isPresent()) {
      assertEquals(block.dataBytes(), data.get().length, where);
      if (honest) {
        assertArrayEquals(symbols.data(), data.get(), where);
      }
    }
    return data.isPresent();
  }

  @Test
  @DisplayName("cost no memory beyond the block and K + 8 symbols, however many there are")
  void memory() {
    int k = 16;
    int symbolBytes = 1 << 16;
    SourceBlock block = new SourceBlock(k * symbolBytes, symbolBytes);
    Decoder decoder = new Decoder(Code.of(k), block);
    byte[] symbol = new byte[symbolBytes];
    long before = THREADS.getCurrentThreadAllocatedBytes();
    for (int id = k; id < 10_000; id++) {
      decoder.add(id, symbol, 0, symbolBytes);
    }
    long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
    long most = (long) (k + Decoder.SPARE_SYMBOLS) * symbolBytes + (4 << 20);
    assertTrue(allocated < most, "allocates " + allocated);
  }

  private static int id(int k, Random random) {
    return switch (random.nextInt(5)) {
      case 0, 1 -> random.nextInt(k);
      case 2 -> k + random.nextInt(2 * k);
      case 3 -> random.nextInt(Code.MAX_ID + 1);
      default -> random.nextInt(20) == 0 ? random.nextInt() : random.nextInt(2 * k);
    };
  }

  private static byte[] garbage(Random random) {
    byte[] symbol = new byte[random.nextInt(120)];
    random.nextBytes(symbol);
    return symbol;
  }
}
