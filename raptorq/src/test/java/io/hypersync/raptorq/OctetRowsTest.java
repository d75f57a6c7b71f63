package io.hypersync.raptorq;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("Rows of octets")
final class OctetRowsTest {
  private static final int LONGEST = 300;

  static Stream<OctetRows> implementations() {
    return Implementations.all();
  }

  @ParameterizedTest
  @MethodSource("implementations")
  @DisplayName("have all products of two octets, in every lane")
  void allProducts(OctetRows octets) {
    byte[] all = new byte[256];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) i;
    }
    for (int factor = 0; factor < 256; factor++) {
      byte[] sum = new byte[256];
      octets.multiplyAdd(sum, 0, all, 0, all.length, factor);
      for (int i = 0; i < all.length; i++) {
        assertEquals(OctetsTest.product(factor, i), sum[i] & 0xFF, factor + " * " + i);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("implementations")
  @DisplayName("add at every length and alignment what a loop adds, and touch nothing beside it")
  void lengthsAndAlignments(OctetRows octets) {
    Random random = new Random(6330);
    for (int length = 0; length <= LONGEST; length++) {
      int toOffset = random.nextInt(70);
      int fromOffset = random.nextInt(70);
      int factor = length % 3 == 0 ? 1 : random.nextInt(256);
      byte[] from = bytes(random, fromOffset + length + 3);
      byte[] to = bytes(random, toOffset + length + 70);
      byte[] expected = to.clone();
      for (int i = 0; i < length; i++) {
        expected[toOffset + i] ^= (byte) OctetsTest.product(factor, from[fromOffset + i] & 0xFF);
      }
      octets.multiplyAdd(to, toOffset, from, fromOffset, length, factor);
      assertArrayEquals(expected, to, length + " bytes, times " + factor);
    }
  }

  @ParameterizedTest
  @MethodSource("implementations")
  @DisplayName("end where their arrays end")
  void bounds(OctetRows octets) {
    byte[] row = new byte[100];
    byte[] other = new byte[200];
    for (int factor = 0; factor < 3; factor++) {
      int times = factor;
      assertThrows(
          IndexOutOfBoundsException.class, () -> octets.multiplyAdd(row, 1, other, 0, 100, times));
      assertThrows(
          IndexOutOfBoundsException.class, () -> octets.multiplyAdd(other, 0, row, -1, 100, times));
    }
  }

  @Test
  @DisplayName("are done by vectors where there are some")
  void choice() {
    assertSame(VectorOctetRows.INSTANCE, OctetRows.best());
    assertSame(ScalarOctetRows.INSTANCE, OctetRows.scalar());
    OctetRows.warmUp();
  }

  private static byte[] bytes(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }
}
