package io.hypersync.raptorq;

import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Codes that are kept")
final class CodesTest {
  @Test
  @DisplayName("are made once")
  void once() {
    Codes codes = new Codes(1 << 20);
    assertSame(codes.of(52), codes.of(52));
  }

  @Test
  @DisplayName("take no more memory than they may; what was not used for longest goes first")
  void bounded() {
    long limit = 2 * Code.of(40).memoryBytes() + 1;
    Codes codes = new Codes(limit);
    Code first = codes.of(40);
    Code second = codes.of(39);
    assertSame(first, codes.of(40));
    codes.of(38);
    assertTrue(codes.memoryBytes() <= limit);
    assertSame(first, codes.of(40), "used lately");
    assertNotSame(second, codes.of(39), "not used lately");
  }

  @Test
  @DisplayName("are at least the one that was used last, however large")
  void one() {
    Codes codes = new Codes(0);
    Code code = codes.of(100);
    assertSame(code, codes.of(100));
    codes.of(99);
    assertNotSame(code, codes.of(100));
  }

  @Test
  @DisplayName("say what they take: the greatest one little more than a megabyte")
  void memory() {
    long bytes = Code.of(Code.MAX_SOURCE_SYMBOLS).memoryBytes();
    assertTrue(bytes > 1_000_000 && bytes < 1_300_000, "takes " + bytes);
  }
}
