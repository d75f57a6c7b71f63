package io.hypersync.coordination.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The name of a holder: the setting, else HOSTNAME, else a UUID. */
final class LeaseHolderTest {
  private static final String UUID = "00000000-0000-0007-0000-000000000007";

  @Test
  void theSettingGoesFirst() {
    assertEquals("mine", LeaseHolder.name("mine", "host-a", () -> 7));
  }

  @Test
  void elseItIsTheHostsName() {
    assertEquals("host-a", LeaseHolder.name("", "host-a", () -> 7));
  }

  @Test
  void elseItIsRandom() {
    assertEquals(UUID, LeaseHolder.name("", null, () -> 7));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " a", "a\n", "ä"})
  void aHostsNameThatIsNoNameCountsAsNone(String hostname) {
    assertEquals(UUID, LeaseHolder.name("", hostname, () -> 7));
  }

  @ParameterizedTest
  @ValueSource(strings = {" ", "a\n", "ä"})
  void aSettingThatIsNoNameIsRefused(String setting) {
    assertThrows(
        IllegalArgumentException.class, () -> LeaseHolder.name(setting, "host-a", () -> 7));
  }
}
