package io.hypersync.model.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests how untrusted text is shown to users. */
class PrintableTest {
  /** Code points and their printable form. */
  @ParameterizedTest(name = "U+{0} {2}")
  @CsvSource({
    "0000,  \\x00,        NUL",
    "0007,  \\x07,        BEL",
    "0009,  \\x09,        TAB",
    "000A,  \\x0a,        LF",
    "000D,  \\x0d,        CR",
    "001B,  \\x1b,        ESC",
    "007F,  \\u007f,      DEL",
    "0080,  \\u0080,      first of C1",
    "009B,  \\u009b,      CSI",
    "009F,  \\u009f,      last of C1",
    "00AD,  \\u00ad,      soft hyphen",
    "061C,  \\u061c,      Arabic letter mark",
    "115F,  \\u115f,      Hangul filler",
    "180E,  \\u180e,      Mongolian vowel separator",
    "200B,  \\u200b,      zero width space",
    "200C,  \\u200c,      zero width non-joiner",
    "200D,  \\u200d,      zero width joiner",
    "200E,  \\u200e,      left to right mark",
    "200F,  \\u200f,      right to left mark",
    "2028,  \\u2028,      line separator",
    "2029,  \\u2029,      paragraph separator",
    "202A,  \\u202a,      left to right embedding",
    "202E,  \\u202e,      right to left override",
    "2060,  \\u2060,      word joiner",
    "2066,  \\u2066,      left to right isolate",
    "2069,  \\u2069,      end of isolate",
    "3164,  \\u3164,      Hangul filler",
    "FEFF,  \\ufeff,      byte order mark",
    "FFF9,  \\ufff9,      interlinear annotation",
    "D83D,  \\ud83d,      first half of a pair",
    "DE00,  \\ude00,      second half of a pair",
    "E0001, \\udb40\\udc01, tag",
    "20,    ' ',          space",
    "5C,    \\,           backslash",
    "E9,    \u00e9,       letter with accent",
    "4E2D,  \u4e2d,       CJK",
    "1F600, \ud83d\ude00, emoji",
  })
  void harmfulCharactersAreWrittenOut(String codePoint, String shown, String name) {
    String text = Character.toString(Integer.parseInt(codePoint, 16));
    assertEquals("a" + shown + "b", Printable.line("a" + text + "b"), name);
    assertEquals(text.equals(shown), Printable.isPlain(text), name);
  }

  @Test
  void lineFeedsAndTabsStayBetweenLines() {
    assertEquals("a\n\tb\\x0d\\x1b[2J\n", Printable.lines("a\n\tb\r\u001b[2J\n"));
  }

  @Test
  void longTextIsCutAndPairsAreNotTornApart() {
    assertEquals("abc", Printable.line("abc", 3));
    assertEquals("ab...", Printable.line("abc", 2));
    assertEquals("a...", Printable.line("a\ud83d\ude00", 2));
    assertEquals("\\x1b...", Printable.line("\u001b\u001b", 1));
  }

  @Test
  void bytesThatAreNoUtf8AreShownOneByOne() {
    assertEquals(
        "\\xff\\xc3(\\x1b", Printable.line(new byte[] {(byte) 0xff, (byte) 0xc3, '(', 27}));
    assertEquals("\u00e9\\u202e", Printable.line("\u00e9\u202e".getBytes(StandardCharsets.UTF_8)));
  }

  /** Any code point in Unicode that a terminal could interpret as a command. */
  @Test
  void nothingThatIsLeftIsControlOrFormat() {
    for (int point = 0; point <= Character.MAX_CODE_POINT; point++) {
      String shown = Printable.line(Character.toString(point));
      assertTrue(Printable.isPlain(shown), "U+" + Integer.toHexString(point));
      int type = Character.getType(point);
      assertFalse(
          (type == Character.CONTROL || type == Character.FORMAT)
              && shown.equals(Character.toString(point)),
          "U+" + Integer.toHexString(point));
    }
  }
}
