package io.hypersync.sim.disk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.CollectionProgress;
import io.hypersync.chunkstore.CollectionRun;
import io.hypersync.model.errno.Errno;
import io.hypersync.sim.world.Prng;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The simulated chunk store collects like the one on disk, and crashes may undo its last step. */
class SimCollectionTest {
  private static final int CHUNKS = 60;
  private static final int LENGTH = 100;
  private static final int SEEDS = 50;

  private final Prng prng = new Prng(1);
  private final SimChunkStore store = new SimChunkStore();
  private final List<Chunk> chunks =
      IntStream.range(0, CHUNKS).mapToObj(_ -> Chunk.of(prng.bytes(LENGTH))).toList();

  @Test
  void keepsWhatIsMarkedPutOrAskedFor() {
    CollectionRun run = begin();
    assertTrue(store.contains(chunks.get(1).hash()));
    store.put(chunks.get(2).hash(), chunks.get(2).bytes());
    store.getVerified(chunks.get(3).hash());
    sweep(run);
    for (int i = 0; i < CHUNKS; i++) {
      assertEquals(i % 10 == 0 || i <= 3, store.contains(chunks.get(i).hash()), "chunk " + i);
    }
    assertEquals(9 * LENGTH, store.stats().liveBytes());
  }

  @Test
  void aCrashAtAnyStepEndsTheRunAndMayBringBackWhatTheLastStepRemoved() {
    TreeSet<Integer> back = new TreeSet<>();
    for (int seed = 0; seed < SEEDS; seed++) {
      Prng chance = new Prng(seed);
      CollectionRun run = begin();
      int steps = 1 + chance.below(8);
      int before = 0;
      for (int step = 0; step < steps && !run.progress().isDone(); step++) {
        before = here();
        var _ = run.sweep(10 * LENGTH);
      }
      int after = here();
      if (chance.oneIn(2)) {
        store.losePower(chance);
      } else {
        store.evict(chance);
      }
      assertThrows(IllegalStateException.class, () -> run.sweep(1));
      assertTrue(here() >= after && here() <= before, "seed " + seed);
      back.add(here() - after);
      for (int i = 0; i < CHUNKS; i += 10) {
        assertArrayEquals(chunks.get(i).bytes(), store.getVerified(chunks.get(i).hash()));
      }
    }
    assertTrue(back.size() > 3, "back are " + back);
  }

  @Test
  void reportsLivingChunksThatAreDamaged() {
    Chunk victim = chunks.get(10);
    CollectionRun run = begin();
    while (!store.isDamaged(victim.hash())) {
      assertTrue(store.rot(prng));
    }
    CollectionProgress done = sweep(run);
    assertTrue(done.unreadable().contains(victim.hash()));
    assertFalse(store.contains(victim.hash()));
    assertEquals(
        Errno.EIO,
        assertThrows(ChunkStoreException.class, () -> store.getVerified(victim.hash())).errno());
  }

  @Test
  void aFullDiskStopsItAtTheEnd() {
    CollectionRun run = begin();
    store.full(true);
    ChunkStoreException e = assertThrows(ChunkStoreException.class, () -> sweep(run));
    assertEquals(Errno.ENOSPC, e.errno());
    store.full(false);
    sweep(run);
    assertEquals(6, here());
  }

  /** Stores all chunks durably, begins, and marks each tenth. */
  private CollectionRun begin() {
    store.putAll(chunks);
    store.sync();
    CollectionRun run = store.beginCollection();
    for (int i = 0; i < CHUNKS; i += 10) {
      run.mark(chunks.get(i).hash());
    }
    return run;
  }

  private static CollectionProgress sweep(CollectionRun run) {
    while (!run.sweep(1).isDone()) {
      // go on
    }
    return run.finish();
  }

  private int here() {
    return store.syncedHashes().size();
  }
}
