package io.hypersync.raptorq;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Octets of GF(256)")
final class OctetsTest {
  @Test
  @DisplayName("have the products of polynomials modulo x^8 + x^4 + x^3 + x^2 + 1")
  void products() {
    for (int left = 0; left < 256; left++) {
      for (int right = 0; right < 256; right++) {
        assertEquals(product(left, right), Octets.multiply(left, right), left + " * " + right);
      }
    }
  }

  @Test
  @DisplayName("have an inverse each, but 0 has none")
  void inverses() {
    for (int octet = 1; octet < 256; octet++) {
      assertEquals(1, Octets.multiply(octet, Octets.inverse(octet)), "octet " + octet);
    }
    assertThrows(ArithmeticException.class, () -> Octets.inverse(0));
  }

  @Test
  @DisplayName("have the first powers of alpha that section 5.7.3 prints")
  void powers() {
    int[] printed = {1, 2, 4, 8, 16, 32, 64, 128, 29, 58, 116, 232, 205, 135, 19, 38};
    for (int i = 0; i < printed.length; i++) {
      assertEquals(printed[i], Octets.power(i));
    }
    assertEquals(142, Octets.power(254));
  }

  /** Schoolbook multiplication, bit by bit. */
  static int product(int left, int right) {
    int sum = 0;
    for (int bit = 0; bit < 8; bit++) {
      if ((right >> bit & 1) == 1) {
        sum ^= left << bit;
      }
    }
    for (int bit = 14; bit >= 8; bit--) {
      if ((sum >> bit & 1) == 1) {
        sum ^= 0x11D << (bit - 8);
      }
    }
    return sum;
  }
}
