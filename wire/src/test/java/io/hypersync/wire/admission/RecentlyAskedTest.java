package io.hypersync.wire.admission;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** An initial packet that is repeated at once counts as a copy. */
class RecentlyAskedTest {
  private static final byte[] HERE = {127, 0, 0, 1};
  private static final byte[] THERE = {10, 0, 0, 1};
  private static final int PORT = 4_711;

  private final RecentlyAsked recent = new RecentlyAsked(24);

  private static byte[] id(long number) {
    return ByteBuffer.allocate(16).putLong(number).array();
  }

  @Test
  void theSamePacketIsARepetitionUntilAWorkerWouldSayItAgain() {
    assertFalse(recent.repeats(HERE, PORT, id(1), 0));
    recent.asked(HERE, PORT, id(1), 0);
    assertTrue(recent.repeats(HERE, PORT, id(1), 1));
    assertTrue(recent.repeats(HERE, PORT, id(1), RecentlyAsked.REPEAT_NS - 1));
    assertFalse(recent.repeats(HERE, PORT, id(1), RecentlyAsked.REPEAT_NS));
  }

  @Test
  void whatComesFromElsewhereOrBeginsAnotherConnectionIsNone() {
    recent.asked(HERE, PORT, id(1), 0);
    assertFalse(recent.repeats(THERE, PORT, id(1), 1));
    assertFalse(recent.repeats(HERE, PORT + 1, id(1), 1));
    assertFalse(recent.repeats(HERE, PORT, id(2), 1));
    assertFalse(recent.repeats(HERE, PORT, new byte[8], 1));
  }

  @Test
  void amongManyOthersNoneIsTakenForAnother() {
    for (long i = 1; i <= 100_000; i++) {
      assertFalse(recent.repeats(HERE, PORT, id(i), i));
      recent.asked(HERE, PORT, id(i), i);
      assertTrue(recent.repeats(HERE, PORT, id(i), i));
    }
  }
}
