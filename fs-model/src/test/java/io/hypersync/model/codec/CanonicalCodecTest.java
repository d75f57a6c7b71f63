package io.hypersync.model.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.NodeId;
import java.util.HexFormat;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class CanonicalCodecTest {
  /** A call of one method of the reader. */
  interface Read {
    /** Returns the value that the call has read. */
    Object from(CanonicalReader in) throws DecodeException;
  }

  private static Arguments row(
      String what, Consumer<CanonicalWriter> write, String hex, Read read, Object value) {
    return Arguments.of(what, write, hex, read, value);
  }

  static Stream<Arguments> values() {
    Hash hash = new Hash(1, -2, 3, Long.MIN_VALUE);
    return Stream.of(
        row("u8", out -> out.u8(0xfe), "fe", CanonicalReader::u8, 0xfe),
        row("u8 keeps the low bits", out -> out.u8(0x1234), "34", CanonicalReader::u8, 0x34),
        row("u16", out -> out.u16(0xfedc), "fedc", CanonicalReader::u16, 0xfedc),
        row("u32", out -> out.u32(-2), "fffffffe", CanonicalReader::u32, -2),
        row("u64", out -> out.u64(-2), "fffffffffffffffe", CanonicalReader::u64, -2L),
        row(
            "size",
            out -> out.u64(Long.MAX_VALUE),
            "7fffffffffffffff",
            CanonicalReader::size,
            Long.MAX_VALUE),
        row(
            "node",
            out -> out.node(new NodeId(1, -1)),
            "0000000000000001ffffffffffffffff",
            CanonicalReader::node,
            new NodeId(1, -1)),
        row(
            "hash",
            out -> out.hash(hash),
            "0000000000000001fffffffffffffffe00000000000000038000000000000000",
            CanonicalReader::hash,
            hash),
        row("empty text", out -> out.text(""), "00000000", in -> in.text(9), ""),
        row("text", out -> out.text("aé𝄞"), "0000000761c3a9f09d849e", in -> in.text(7), "aé𝄞"),
        row("count", out -> out.u32(2).u16(7), "000000020007", in -> in.count(2, 1) + in.u16(), 9));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("values")
  void writesBigEndianAndReadsItBack(
      String what, Consumer<CanonicalWriter> write, String hex, Read read, Object value)
      throws DecodeException {
    CanonicalWriter out = new CanonicalWriter(0);
    write.accept(out);
    assertEquals(hex, HexFormat.of().formatHex(out.toBytes()), what);
    assertEquals(hex.length() / 2, out.length(), "length of " + what);

    CanonicalReader in = new CanonicalReader(out.toBytes());
    assertEquals(value, read.from(in), what);
    assertEquals(0, in.remaining(), "bytes left behind " + what);
    in.finish();
  }

  static Stream<Arguments> refused() {
    return Stream.of(
        Arguments.of("a size past 2^63", "8000000000000000", (Read) CanonicalReader::size),
        Arguments.of("a u16 in one byte", "01", (Read) CanonicalReader::u16),
        Arguments.of("a length over the limit", "000000040000000000", (Read) in -> in.bytes(3)),
        Arguments.of("a length past 2^31", "ffffffff00", (Read) in -> in.bytes(9)),
        Arguments.of("a length past the end", "0000000300aa", (Read) in -> in.bytes(9)),
        Arguments.of("text that is not UTF-8", "00000001ff", (Read) in -> in.text(9)),
        Arguments.of("text with an overlong form", "00000002c080", (Read) in -> in.text(9)),
        Arguments.of("text with a surrogate", "00000003eda080", (Read) in -> in.text(9)),
        Arguments.of("a count over the limit", "000000040000000000", (Read) in -> in.count(3, 1)),
        Arguments.of("a count past 2^31", "ffffffff00", (Read) in -> in.count(9, 0)),
        Arguments.of("a count of more than is there", "000000030000", (Read) in -> in.count(9, 1)),
        Arguments.of(
            "a count whose product overflows",
            "7fffffff00",
            (Read) in -> in.count(Integer.MAX_VALUE, Integer.MAX_VALUE)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("refused")
  void refuses(String what, String hex, Read read) {
    CanonicalReader in = new CanonicalReader(HexFormat.of().parseHex(hex));
    assertThrows(DecodeException.class, () -> read.from(in), what);
  }

  @Test
  void finishSaysHowManyBytesAreBehindTheEnd() throws DecodeException {
    CanonicalReader in = new CanonicalReader(new byte[3]);
    assertEquals(0, in.u8());
    DecodeException refusal = assertThrows(DecodeException.class, in::finish);
    assertTrue(refusal.getMessage().contains("2 bytes"), refusal.getMessage());
  }

  @ParameterizedTest(name = "from {0} bytes")
  @CsvSource({"0", "1", "7", "64"})
  void aWriterGrowsWithoutLosingBytes(int capacity) {
    CanonicalWriter out = new CanonicalWriter(capacity);
    byte[] expected = new byte[1000];
    for (int i = 0; i < expected.length; i++) {
      expected[i] = (byte) i;
      out.u8(i);
    }
    assertArrayEquals(expected, out.toBytes(), "bytes written one by one");
    assertArrayEquals(
        expected, new CanonicalWriter(capacity).raw(expected).toBytes(), "bytes written at once");
  }
}
