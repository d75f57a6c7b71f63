package io.hypersync.chunkstore;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.hash.Hash;
import org.junit.jupiter.api.Test;

class VerifiedChunksTest {
  private final VerifiedChunks verified = new VerifiedChunks(2, 100);

  @Test
  void aChunkIsBelievedForAWhile() {
    verified.add(hash(1), 1_000);
    assertTrue(verified.has(hash(1), 1_099));
    assertFalse(verified.has(hash(1), 1_100));
    assertFalse(verified.has(hash(2), 1_000));
  }

  @Test
  void theOldestGoesForOneMore() {
    verified.add(hash(1), 0);
    verified.add(hash(2), 0);
    verified.add(hash(1), 1); // added again, so chunk 2 is now the oldest
    verified.add(hash(3), 1);
    assertTrue(verified.has(hash(1), 2));
    assertFalse(verified.has(hash(2), 2));
    assertTrue(verified.has(hash(3), 2));
  }

  @Test
  void whatIsFoundDamagedIsNotBelieved() {
    verified.add(hash(1), 0);
    verified.remove(hash(1));
    assertFalse(verified.has(hash(1), 0));
  }

  private static Hash hash(int number) {
    return TestChunks.chunk(number).hash();
  }
}
