package io.hypersync.leader.lineage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a rewind gives up, and what it remembers. */
final class LineageTest {
  private static final Lineage TWICE =
      Lineage.FIRST.rewound(7, 100, 1_000, "on monday").rewound(-9, 50, 2_000, "again");

  @Test
  void aRewoundStateDescendsFromAllBefore() {
    assertTrue(TWICE.descendsFrom(0));
    assertTrue(TWICE.descendsFrom(7));
    assertFalse(TWICE.descendsFrom(-9), "itself");
    assertFalse(TWICE.descendsFrom(8));
    assertFalse(Lineage.FIRST.descendsFrom(7), "a copy of before the rewind does not know it");
  }

  @Test
  void itIsReadAsItWasWritten() {
    assertEquals(
        """
        hypersync-lineage: 1
        id: fffffffffffffff7
        rewind: 0000000000000000 100 1000 on monday
        rewind: 0000000000000007 50 2000 again
        """,
        TWICE.toText());
    assertEquals(TWICE, Lineage.parse(TWICE.toText()));
    assertEquals(Lineage.FIRST, Lineage.parse(Lineage.FIRST.toText()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "garbage",
        "hypersync-lineage: 2\nid: 0000000000000000\n",
        "hypersync-lineage: 1\nid: 0\n",
        "hypersync-lineage: 1\nid: 0000000000000000",
        "hypersync-lineage: 1\nid: 0000000000000000\nrewind: 0000000000000000 1 2\n",
        "hypersync-lineage: 1\nid: 0000000000000000\nrewind: 0000000000000000 x 2 n\n",
      })
  void damageIsNoLineage(String text) {
    assertNull(Lineage.parse(text));
  }

  @Test
  void onlySoManyRewindsAreRemembered() {
    Lineage lineage = Lineage.FIRST;
    for (int i = 1; i <= Lineage.MAX_REWINDS + 1; i++) {
      lineage = lineage.rewound(i, i, i, "n");
    }
    assertEquals(Lineage.MAX_REWINDS, lineage.rewinds().size());
    assertFalse(lineage.descendsFrom(0));
    assertEquals(lineage, Lineage.parse(lineage.toText()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "a\nb", "\u001b[2J", " a"})
  void aNameIsPrintable(String name) {
    assertFalse(Lineage.isName(name));
  }
}
