package io.hypersync.chunkstore;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.hash.Hash;
import org.junit.jupiter.api.Test;

class VerifiedChunksTest {
  private final VerifiedChunks intact = new VerifiedChunks(2, 100);

  @Test
  void aChunkIsBelievedForAWhile() {
    intact.add(hash(1), 1_000);
    assertTrue(intact.has(hash(1), 1_099));
    assertFalse(intact.has(hash(1), 1_100));
    assertFalse(intact.has(hash(2), 1_000));
  }

  @Test
  void theOldestGoesForOneMore() {
    intact.add(hash(1), 0);
    intact.add(hash(2), 0);
    intact.add(hash(1), 1); // added again, so chunk 2 is now the oldest
    intact.add(hash(3), 1);
    assertTrue(intact.has(hash(1), 2));
    assertFalse(intact.has(hash(2), 2));
    assertTrue(intact.has(hash(3), 2));
  }

  @Test
  void whatIsFoundDamagedIsNotBelieved() {
    intact.add(hash(1), 0);
    intact.remove(hash(1));
    assertFalse(intact.has(hash(1), 0));
  }

  private static Hash hash(int number) {
    return TestChunks.chunk(number).hash();
  }
}
