package io.hypersync.chunkstore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.hash.Hash;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KeptChunksTest {
  private final KeptChunks kept = new KeptChunks();
  private final Hash hash = TestChunks.chunk(1).hash();

  @Test
  void keepsExactlyWhatIsMarkedPromisedOrStored() {
    Random random = new Random(1);
    Set<Hash> model = new HashSet<>();
    kept.begin();
    for (int i = 0; i < 100_000; i++) {
      Hash next = random(random);
      assertFalse(kept.isKept(next));
      switch (i % 4) {
        case 0 -> kept.mark(next);
        case 1 -> assertTrue(kept.promise(next));
        case 2 -> kept.stored(next);
        default -> {
          continue;
        }
      }
      model.add(next);
    }
    model.forEach(next -> assertTrue(kept.isKept(next)));
    assertEquals(model.size(), kept.count());
    kept.end();
    assertEquals(0, kept.count());
    assertFalse(kept.isActive());
  }

  @Test
  void zeroIsAnElementLikeOthers() {
    kept.begin();
    assertFalse(kept.isKept(Hash.ZERO));
    kept.mark(Hash.ZERO);
    assertTrue(kept.isKept(Hash.ZERO));
    assertEquals(1, kept.count());
  }

  @Test
  void aKeptChunkIsNotCondemned() {
    kept.begin();
    assertTrue(kept.promise(hash));
    assertFalse(kept.condemn(hash));
    assertTrue(kept.promise(hash));
  }

  @Test
  void aCondemnedChunkIsNotPromisedUntilItIsStoredOrRemoved() {
    kept.begin();
    long before = kept.removals();
    assertTrue(kept.condemn(hash));
    assertNotEquals(before, kept.removals());
    assertFalse(kept.promise(hash));
    kept.mark(hash);
    assertFalse(kept.promise(hash), "a mark does not bring it back");
    assertTrue(kept.condemn(hash));
    kept.stored(hash);
    assertTrue(kept.promise(hash));
    assertFalse(kept.condemn(hash));
  }

  @Test
  void staysCondemnedAfterTheRunUntilItIsRemoved() {
    kept.begin();
    assertTrue(kept.condemn(hash));
    kept.end();
    assertTrue(kept.isActive());
    assertFalse(kept.promise(hash));
    long before = kept.removals();
    kept.removed(List.of(hash));
    assertNotEquals(before, kept.removals());
    assertFalse(kept.isActive());
    assertTrue(kept.promise(hash));
    assertFalse(kept.condemn(hash), "no run");
  }

  private static Hash random(Random random) {
    return new Hash(random.nextLong(), random.nextLong(), random.nextLong(), random.nextLong());
  }
}
