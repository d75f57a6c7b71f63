package io.hypersync.raptorq;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A decoder")
final class DecoderTest {
  private static final int K = 10;
  private static final int T = 64;
  private static final int SHORT = 5;
  private static final int DATA = K * T - T + SHORT;

  private final Code code = Code.of(K);
  private final SourceBlock block = new SourceBlock(DATA, T);
  private final Symbols symbols = Symbols.of(code, block, new Random(1));
  private final Decoder decoder = new Decoder(code, block);

  @Test
  @DisplayName("gives the data of all source symbols")
  void nothingLost() {
    for (int id = 0; id < K; id++) {
      assertEquals(Optional.empty(), decoder.decode());
      assertEquals(id == K - 1, symbols.addTo(decoder, id));
    }
    assertEquals(0, decoder.missing());
    assertArrayEquals(symbols.data(), decoder.decode().orElseThrow());
    assertSame(decoder.decode().orElseThrow(), decoder.decode().orElseThrow());
  }

  @Test
  @DisplayName("gives the data of repair symbols alone")
  void onlyRepair() {
    for (int id = K; id < 2 * K - 1; id++) {
      assertFalse(symbols.addTo(decoder, id));
    }
    assertTrue(symbols.addTo(decoder, Code.MAX_ID));
    symbols.addTo(decoder, 2 * K);
    assertArrayEquals(symbols.data(), decoder.decode().orElseThrow());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 4, K - 1})
  @DisplayName("gives any lost source symbol, the short one at the end too")
  void oneLost(int lost) {
    for (int id = 0; id < K; id++) {
      if (id != lost) {
        symbols.addTo(decoder, id);
      }
    }
    symbols.addTo(decoder, 4711);
    symbols.addTo(decoder, 4712);
    assertArrayEquals(symbols.data(), decoder.decode().orElseThrow());
  }

  @Test
  @DisplayName("takes the last source symbol with and without the zeros, and does not believe them")
  void shortSymbol() {
    byte[] last = symbols.symbol(K - 1);
    for (int id = 0; id < K - 1; id++) {
      symbols.addTo(decoder, id);
    }
    decoder.add(K - 1, last, 0, SHORT);
    assertArrayEquals(symbols.data(), decoder.decode().orElseThrow());

    Arrays.fill(last, SHORT, T, (byte) 7);
    Decoder other = new Decoder(code, block);
    for (int id = 1; id < K - 1; id++) {
      symbols.addTo(other, id);
    }
    other.add(K - 1, last, 0, T);
    symbols.addTo(other, K);
    symbols.addTo(other, K + 1);
    assertArrayEquals(symbols.data(), other.decode().orElseThrow());
  }

  @Test
  @DisplayName("reads a buffer to its end, whether it has an array or not")
  void buffers() {
    for (int id = 1; id < K + 3; id++) {
      ByteBuffer heap = ByteBuffer.wrap(symbols.symbol(id));
      ByteBuffer buffer = id % 2 == 0 ? heap : ByteBuffer.allocateDirect(T).put(heap).flip();
      decoder.add(id, buffer);
      assertFalse(buffer.hasRemaining(), "id " + id);
    }
    assertArrayEquals(symbols.data(), decoder.decode().orElseThrow());
    ByteBuffer late = ByteBuffer.wrap(symbols.symbol(0));
    assertTrue(decoder.add(0, late));
    assertFalse(late.hasRemaining());
  }

  @Test
  @DisplayName("counts a symbol once")
  void duplicates() {
    for (int i = 0; i < 3; i++) {
      for (int id = 5; id < K + 4; id++) {
        assertFalse(symbols.addTo(decoder, id), "id " + id);
      }
    }
    assertEquals(5, decoder.missing());
    assertEquals(Optional.empty(), decoder.decode());
  }

  @Test
  @DisplayName("takes the first symbol of an id, not a later one")
  void firstCounts() {
    byte[] wrong = new byte[T];
    for (int id = 0; id < K; id++) {
      symbols.addTo(decoder, id);
      decoder.add(id, wrong, 0, T);
    }
    assertArrayEquals(symbols.data(), decoder.decode().orElseThrow());
  }

  @Test
  @DisplayName("keeps no more repair symbols than it needs and a few, and still ends")
  void bounded() {
    byte[] wrong = new byte[T];
    for (int id = K; id < 10_000; id++) {
      // What comes when there are enough is not looked at.
      byte[] symbol = id < 2 * K + Decoder.SPARE_SYMBOLS ? symbols.symbol(id) : wrong;
      decoder.add(id, symbol, 0, T);
    }
    assertArrayEquals(symbols.data(), decoder.decode().orElseThrow());
  }

  @Test
  @DisplayName("goes on after a try that failed, with repair and with source symbols")
  void afterFailure() {
    // Seen from two missing symbols, repair symbols with proportional factors say the same.
    int[] same = proportional();
    for (int id = 2; id < K; id++) {
      symbols.addTo(decoder, id);
    }
    symbols.addTo(decoder, same[0]);
    assertTrue(symbols.addTo(decoder, same[1]));
    assertEquals(Optional.empty(), decoder.decode());
    symbols.addTo(decoder, same[1]);
    assertEquals(
        Optional.empty(), decoder.decode(), "what said nothing new says nothing new again");
    assertTrue(symbols.addTo(decoder, 1));
    assertArrayEquals(symbols.data(), decoder.decode().orElseThrow());
  }

  /** Two repair symbols whose factors of the first two source symbols are proportional. */
  private int[] proportional() {
    for (int i = K; ; i++) {
      byte[] one = code.factors(i);
      for (int j = K; j < i; j++) {
        byte[] other = code.factors(j);
        int left = Octets.multiply(one[0] & 0xFF, other[1] & 0xFF);
        int right = Octets.multiply(one[1] & 0xFF, other[0] & 0xFF);
        if (left == right && one[0] != 0 && one[1] != 0) {
          return new int[] {j, i};
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "-1, 64",
    "0, 63",
    "0, 65",
    "0, 5",
    "0, 0",
    "9, 4",
    "9, 6",
    "10, 5",
    "10, 63",
    "16777216, 64",
    "2147483647, 64",
    "-2147483648, 64",
  })
  @DisplayName("refuses ids and lengths that no symbol of its block has")
  void refusals(int id, int bytes) {
    assertFalse(block.accepts(id, bytes));
    byte[] symbol = new byte[bytes];
    assertThrows(IllegalArgumentException.class, () -> decoder.add(id, symbol, 0, bytes));
    assertThrows(IllegalArgumentException.class, () -> decoder.add(id, ByteBuffer.wrap(symbol)));
    assertEquals(K, decoder.missing());
  }

  @ParameterizedTest
  @CsvSource({
    "0, 64",
    "-1, 64",
    "65537, 64",
    "1, 7",
    "1, 0",
    "1, 65537",
    "67108865, 65536",
    "1, -2147483648"
  })
  @DisplayName("has no block of lengths out of range")
  void blocks(int dataBytes, int symbolBytes) {
    assertFalse(SourceBlock.isValid(dataBytes, symbolBytes));
    assertThrows(IllegalArgumentException.class, () -> new SourceBlock(dataBytes, symbolBytes));
  }

  @Test
  @DisplayName("does not take the code of another K")
  void anotherCode() {
    Code other = Code.of(K + 1);
    assertThrows(IllegalArgumentException.class, () -> new Decoder(other, block));
    assertThrows(IllegalArgumentException.class, () -> new Encoder(other, block));
  }

  @Test
  @DisplayName("has the largest symbols, which are worked on in parts")
  void largestSymbols() {
    Code three = Code.of(3);
    Symbols large = Symbols.of(three, new SourceBlock((2 << 16) + 4097, 1 << 16), new Random(2));
    for (int lost = 0; lost < 3; lost++) {
      Decoder one = new Decoder(three, large.block());
      large.addTo(one, lost);
      for (int id = 3; one.decode().isEmpty(); id++) {
        large.addTo(one, id);
      }
      assertArrayEquals(large.data(), one.decode().orElseThrow());
    }
  }
}
