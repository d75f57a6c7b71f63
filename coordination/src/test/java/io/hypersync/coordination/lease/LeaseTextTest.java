package io.hypersync.coordination.lease;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.coordination.cas.CasStore;
import io.hypersync.coordination.lease.LeaseContent.Free;
import io.hypersync.coordination.lease.LeaseContent.Held;
import io.hypersync.coordination.lease.LeaseContent.Malformed;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The text of a lease, version 1, which stays what it is. */
final class LeaseTextTest {
  private static final String GOLDEN =
      "{\"lease\":1,\"holder\":\"host-a\",\"run\":\"9f2c66d81a0b4e55\","
          + "\"acquired_at_ms\":1795843200000}";

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void aLeaseIsJson() {
    Held held = new Held("host-a", 0x9f2c66d81a0b4e55L, 1_795_843_200_000L);
    assertArrayEquals(bytes(GOLDEN), LeaseText.of(held));
    assertEquals(held, LeaseText.parse(bytes(GOLDEN)));
  }

  @Test
  void aFieldThatALaterVersionAddsIsPassedOver() {
    String more = GOLDEN.replace("}", ",\"pid\":7}");
    assertTrue(LeaseText.parse(bytes(more)) instanceof Held);
  }

  @Test
  void theLongestNameFits() {
    Held held = new Held("\"".repeat(LeaseHolder.MAX_CHARACTERS), -1, Long.MAX_VALUE);
    assertTrue(LeaseText.of(held).length <= CasStore.MAX_VALUE_BYTES);
    assertEquals(held, LeaseText.parse(LeaseText.of(held)));
  }

  @Test
  void noBytesAreNobodys() {
    assertEquals(new Free(), LeaseText.parse(new byte[0]));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        " ",
        "host-a",
        "null",
        "[]",
        "{}",
        "{\"lease\":2,\"holder\":\"a\",\"run\":\"0000000000000000\",\"acquired_at_ms\":1}",
        "{\"lease\":1,\"holder\":\"\",\"run\":\"0000000000000000\",\"acquired_at_ms\":1}",
        "{\"lease\":1,\"holder\":\"a\\n\",\"run\":\"0000000000000000\",\"acquired_at_ms\":1}",
        "{\"lease\":1,\"holder\":\"a\",\"run\":\"00\",\"acquired_at_ms\":1}",
        "{\"lease\":1,\"holder\":\"a\",\"run\":\"000000000000000g\",\"acquired_at_ms\":1}",
        "{\"lease\":1,\"holder\":\"a\",\"run\":\"0000000000000000\"}",
        "{\"lease\":1,\"holder\":\"a\",\"run\":\"0000000000000000\",\"acquired_at_ms\":1}x"
      })
  void anythingElseIsMalformed(String text) {
    assertEquals(new Malformed(), LeaseText.parse(bytes(text)));
  }
}
