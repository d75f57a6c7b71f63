package io.hypersync.chunkstore;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Which chunks count as used lately. */
class UsedChunksTest {
  private static final int BYTES = 10;

  @Test
  void theLastTwoGenerationsAreRemembered() {
    UsedChunks recent = new UsedChunks(2 * BYTES, 100);
    for (int i = 0; i < 5; i++) {
      recent.used(TestChunks.chunk(i, BYTES).hash(), BYTES);
    }
    for (int i = 0; i < 5; i++) {
      boolean isRecent = i >= 2; // 2 and 3 are one generation, 4 begins another
      assertTrue(recent.contains(TestChunks.chunk(i, BYTES).hash()) == isRecent, "chunk " + i);
    }
  }

  /** A chunk that is read over and over again is no reason to forget others. */
  @Test
  void aChunkCountsOnce() {
    UsedChunks recent = new UsedChunks(3 * BYTES, 100);
    recent.used(TestChunks.chunk(1, BYTES).hash(), BYTES);
    for (int i = 0; i < 100; i++) {
      recent.used(TestChunks.chunk(2, BYTES).hash(), BYTES);
    }
    assertTrue(recent.contains(TestChunks.chunk(1, BYTES).hash()));
  }

  @Test
  void thereAreNotMoreThanMayBe() {
    UsedChunks recent = new UsedChunks(1 << 30, 2);
    for (int i = 0; i < 5; i++) {
      recent.used(TestChunks.chunk(i, BYTES).hash(), BYTES);
    }
    assertFalse(recent.contains(TestChunks.chunk(0, BYTES).hash()));
    assertTrue(recent.contains(TestChunks.chunk(4, BYTES).hash()));
  }

  @Test
  void withoutALimitNothingIsRemembered() {
    UsedChunks none = UsedChunks.none();
    none.used(TestChunks.chunk(1, BYTES).hash(), BYTES);
    assertFalse(none.contains(TestChunks.chunk(1, BYTES).hash()));
  }
}
