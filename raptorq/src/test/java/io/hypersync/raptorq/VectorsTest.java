package io.hypersync.raptorq;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("Repair symbols")
final class VectorsTest {
  private static final int LINES = 1411;

  private record Line(int dataBytes, int symbolBytes, int k, int id, byte[] first, long fnv) {
    static Line parse(String text) {
      String[] fields = text.split(" ", -1);
      return new Line(
          Integer.parseInt(fields[0]),
          Integer.parseInt(fields[1]),
          Integer.parseInt(fields[2]),
          Integer.parseInt(fields[3]),
          HexFormat.of().parseHex(fields[4]),
          Long.parseUnsignedLong(fields[5], 16));
    }

    byte[] data() {
      byte[] data = new byte[dataBytes];
      long x = dataBytes * 1_000_003L + symbolBytes;
      for (int i = 0; i < dataBytes; i++) {
        x = x * 6364136223846793005L + 1442695040888963407L;
        data[i] = (byte) (x >>> 56);
      }
      return data;
    }
  }

  static Stream<OctetRows> implementations() {
    return Implementations.all();
  }

  @ParameterizedTest
  @MethodSource("implementations")
  @DisplayName("are those of another implementation, bit by bit")
  void everyLine(OctetRows octets) throws IOException {
    List<Line> lines = lines();
    assertEquals(LINES, lines.size());
    Code code = Code.of(1, octets);
    for (Line line : lines) {
      if (code.sourceSymbols() != line.k) {
        code = Code.of(line.k, octets);
      }
      SourceBlock block = new SourceBlock(line.dataBytes, line.symbolBytes);
      assertEquals(line.k, block.sourceSymbols(), line::toString);
      byte[] symbol = new byte[line.symbolBytes];
      new Encoder(code, block).repair(line.data(), 0, line.id, 1, symbol, 0);
      assertArrayEquals(line.first, Arrays.copyOf(symbol, line.first.length), line::toString);
      assertEquals(line.fnv, fnv(symbol), line::toString);
    }
  }

  private static long fnv(byte[] bytes) {
    long hash = 0xcbf29ce484222325L;
    for (byte octet : bytes) {
      hash = (hash ^ (octet & 0xFF)) * 0x100000001b3L;
    }
    return hash;
  }

  private static List<Line> lines() throws IOException {
    List<Line> lines = new ArrayList<>();
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(
                Objects.requireNonNull(
                    VectorsTest.class.getResourceAsStream("raptorq-symbols.txt")),
                StandardCharsets.US_ASCII))) {
      reader.lines().filter(line -> !line.startsWith("#")).map(Line::parse).forEach(lines::add);
    }
    return lines;
  }
}
