package io.hypersync.model.id;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NameTest {

  @ParameterizedTest
  @ValueSource(strings = {"a", "...", ".a", "..a", "a.", " ", "\n", "é", "\\", "*"})
  void acceptsAnyBytesButTwo(String name) {
    assertTrue(Name.isWellFormed(name.getBytes(StandardCharsets.UTF_8)));
    assertEquals(name, new String(Name.of(name).bytes(), StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", "/", "a/b", "/a", "a/", "a\0", "\0"})
  void refusesWhatCannotNameAnEntry(String name) {
    assertFalse(Name.isWellFormed(name.getBytes(StandardCharsets.UTF_8)));
    assertThrows(IllegalArgumentException.class, () -> Name.of(name));
  }

  @ParameterizedTest(name = "{0} bytes: {1}")
  @CsvSource({"1,true", "255,true", "256,false", "4096,false"})
  void hasAtMost255Bytes(int length, boolean valid) {
    String name = "x".repeat(length);
    assertTrue(Name.isWellFormed(name.getBytes(StandardCharsets.UTF_8)), "apart from its length");
    if (valid) {
      assertEquals(length, Name.of(name).bytes().length);
    } else {
      assertThrows(IllegalArgumentException.class, () -> Name.of(name));
    }
  }

  @ParameterizedTest(name = "{0} is shown as {1}")
  @CsvSource({
    "61, a",
    "c3a9, é",
    "610a62, a\\x0ab",
    "1b5b306d, \\x1b[0m",
    "7f, \\u007f",
    "c29b, \\u009b",
    "e9, \\xe9",
    "c3a9ff, \\xc3\\xa9\\xff",
  })
  void isShownWithoutControlCharacters(String hex, String shown) {
    assertEquals(shown, Name.of(HexFormat.of().parseHex(hex)).toString());
  }

  @ParameterizedTest(name = "{0} < {1}")
  @CsvSource({"a,b", "a,aa", "B,a", "z,é"})
  void isOrderedBytewise(String smaller, String greater) {
    assertTrue(Name.of(smaller).compareTo(Name.of(greater)) < 0);
    assertTrue(Name.of(greater).compareTo(Name.of(smaller)) > 0);
    assertEquals(0, Name.of(smaller).compareTo(Name.of(smaller)));
    assertEquals(Name.of(smaller).hashCode(), Name.of(smaller).hashCode());
  }
}
