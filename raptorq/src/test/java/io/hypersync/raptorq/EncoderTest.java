package io.hypersync.raptorq;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("An encoder")
final class EncoderTest {
  private static final int K = 7;
  private static final int T = 100;
  private final Symbols symbols = Symbols.random(Code.of(K), T, new Random(1));
  private final Encoder encoder = new Encoder(symbols.code(), symbols.block());

  @Test
  @DisplayName("makes the same symbols one by one and together, wherever data and symbols lie")
  void offsets() {
    byte[] data = new byte[symbols.data().length + 20];
    Arrays.fill(data, (byte) 1);
    System.arraycopy(symbols.data(), 0, data, 13, symbols.data().length);
    byte[] to = new byte[5 * T + 9];
    Arrays.fill(to, (byte) 2);
    encoder.repair(data, 13, 1000, 5, to, 4);
    for (int i = 0; i < 5; i++) {
      assertArrayEquals(
          symbols.symbol(1000 + i), Arrays.copyOfRange(to, 4 + i * T, 4 + (i + 1) * T));
    }
    for (int i = 0; i < 9; i++) {
      assertEquals(2, to[i < 4 ? i : 5 * T + i], "beside the symbols");
    }
  }

  @ParameterizedTest
  @CsvSource({"6, 1", "0, 1", "-1, 1", "7, -1", "16777215, 2", "16777216, 1", "7, 2147483647"})
  @DisplayName("refuses ids that are not of repair symbols")
  void refusals(int firstId, int count) {
    byte[] to = new byte[2 * T];
    assertThrows(
        IllegalArgumentException.class,
        () -> encoder.repair(symbols.data(), 0, firstId, count, to, 0));
  }

  @Test
  @DisplayName("refuses arrays that are too short")
  void bounds() {
    byte[] to = new byte[2 * T];
    assertThrows(
        IndexOutOfBoundsException.class, () -> encoder.repair(symbols.data(), 1, K, 2, to, 0));
    assertThrows(
        IndexOutOfBoundsException.class, () -> encoder.repair(symbols.data(), 0, K, 3, to, 0));
    encoder.repair(symbols.data(), 0, Code.MAX_ID, 1, to, T);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 9, 10, 11, 52, 101, 1024})
  @DisplayName("is systematic: the factors of a source symbol are those of the identity")
  void systematic(int k) {
    Code code = Code.of(k);
    for (int id = 0; id < k; id++) {
      byte[] unit = new byte[k];
      unit[id] = 1;
      assertArrayEquals(unit, code.factors(id), "id " + id);
    }
  }
}
