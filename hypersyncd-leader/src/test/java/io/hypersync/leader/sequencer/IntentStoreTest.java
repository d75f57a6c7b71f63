package io.hypersync.leader.sequencer;

import static io.hypersync.leader.sequencer.CommittedEntries.batch;
import static io.hypersync.leader.sequencer.CommittedEntries.numberedIntent;
import static io.hypersync.leader.sequencer.CommittedEntries.place;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.database.Batch;
import io.hypersync.chunkstore.database.Database;
import io.hypersync.chunkstore.database.DatabaseOptions;
import io.hypersync.chunkstore.database.InMemoryDatabase;
import io.hypersync.chunkstore.database.RocksDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is stored of intents, when a write is interrupted, and when others look meanwhile. */
class IntentStoreTest {
  /** A generation is closed by the first batch that finds ten intents in it. */
  private static final IntentRetention TEN = new IntentRetention(10, 0);

  private final Disk disk = new Disk();

  /** Batches of five: entries 1 to 5, 6 to 10, and so on. */
  @ParameterizedTest(name = "{0} batches: forgotten through {1}, families {2}")
  @CsvSource({
    "1, 0,  intents-1",
    "2, 0,  intents-1",
    "3, 0,  intents-1 intents-2",
    "4, 0,  intents-1 intents-2",
    "5, 10, intents-1 intents-2 intents-3",
    "6, 10, intents-2 intents-3",
    "7, 20, intents-2 intents-3 intents-4",
    "8, 20, intents-3 intents-4",
  })
  void generationsAreDroppedAsAWhole(int batches, long forgotten, String families) {
    IntentStore store = new IntentStore(disk, TEN);
    write(store, 1, batches);
    assertEquals(forgotten, store.forgottenThrough());
    assertEquals(5L * batches, store.through());
    assertEquals(Set.of(families.split(" ")), disk.families());
    requireAllOf(store, 5L * batches);
    for (long i = 1; i <= forgotten; i++) {
      assertNull(store.find(numberedIntent(i)), "entry " + i);
    }
  }

  @ParameterizedTest(name = "after {0} batches")
  @ValueSource(ints = {1, 2, 3, 5, 6, 7})
  void aRestartChangesNothing(int batches) {
    IntentStore store = new IntentStore(disk, TEN);
    write(store, 1, batches);
    IntentStore next = new IntentStore(disk, TEN);
    assertEquals(store.through(), next.through());
    assertEquals(store.forgottenThrough(), next.forgottenThrough());
    requireAllOf(next, 5L * batches);
    write(next, batches + 1, batches + 4);
    requireAllOf(next, 5L * (batches + 4));
  }

  /** The third batch begins a generation, the fifth one forgets one, the sixth one drops it. */
  @ParameterizedTest(name = "batch {0} fails at change {1} of the disk")
  @CsvSource({"1, 1", "1, 2", "2, 1", "3, 1", "3, 2", "5, 1", "5, 2", "6, 1", "6, 2"})
  void aBatchIsWrittenWhollyOrNot(int batch, int change) {
    IntentStore store = new IntentStore(disk, TEN);
    write(store, 1, batch - 1);
    disk.failAt = change;
    assertThrows(IllegalStateException.class, () -> write(store, batch, batch));
    disk.failAt = 0;
    assertEquals(5L * (batch - 1), store.through());
    requireAllOf(store, 5L * (batch - 1));
    IntentStore crashed = new IntentStore(disk, TEN);
    assertEquals(5L * (batch - 1), crashed.through());
    requireAllOf(crashed, 5L * (batch - 1));
    write(store, batch, 8);
    IntentStore restarted = new IntentStore(disk, TEN);
    requireAllOf(restarted, 40);
    assertEquals(20, restarted.forgottenThrough(), "as if nothing had failed");
  }

  /** The write was done, but its writer was told that it failed, as after a failed sync. */
  @ParameterizedTest(name = "batch {0}")
  @ValueSource(ints = {1, 3, 5, 7})
  void aBatchMayBeWrittenTwice(int batch) {
    IntentStore store = new IntentStore(disk, TEN);
    write(store, 1, batch - 1);
    disk.failsLate = true;
    assertThrows(IllegalStateException.class, () -> write(store, batch, batch));
    disk.failsLate = false;
    requireAllOf(new IntentStore(disk, TEN), 5L * batch);
    write(store, batch, batch);
    write(store, batch, batch);
    requireAllOf(store, 5L * batch);
    assertEquals(store.forgottenThrough(), new IntentStore(disk, TEN).forgottenThrough());
    assertEquals(5L * batch, store.through());
  }

  /**
   * Whoever looks at any moment of a write finds every intent, or is told afterwards that it may be
   * forgotten.
   */
  @Test
  void whoLooksDuringAWriteMissesNothing() {
    IntentStore store = new IntentStore(disk, TEN);
    long[] written = {0};
    int[] looks = {0};
    disk.look =
        () -> {
          looks[0]++;
          requireAllOf(store, written[0]);
        };
    for (int batch = 1; batch <= 12; batch++) {
      write(store, batch, batch);
      written[0] = 5L * batch;
    }
    assertTrue(looks[0] > 24, "before and after each change: " + looks[0]);
  }

  @Test
  void aBatchThatLeavesEntriesOutIsRefused() {
    IntentStore store = new IntentStore(disk, TEN);
    assertThrows(IllegalArgumentException.class, () -> store.write(batch(2, 3)));
    store.write(batch(1, 3));
    assertThrows(IllegalArgumentException.class, () -> store.write(batch(5, 6)));
    assertThrows(IllegalArgumentException.class, () -> store.write(batch(3, 6)));
    store.write(batch(4, 6));
    assertEquals(6, store.through());
  }

  /** Stored: 16 to 20 in one generation, 21 to 30 in the next, 31 to 35 in the newest. */
  @ParameterizedTest(name = "the log ends at {0}")
  @ValueSource(longs = {0, 5, 12, 20, 21, 25, 30, 31, 34, 35, 99})
  void whatIsBehindTheEndOfTheLogIsDeleted(long end) {
    IntentStore store = new IntentStore(disk, TEN);
    write(store, 1, 7);
    long forgotten = Math.min(20, end);
    store.truncate(end);
    requireCut(store, end, forgotten);
    IntentStore next = new IntentStore(disk, TEN);
    requireCut(next, end, forgotten);
    long from = Math.min(35, end) + 1;
    next.write(batch(from, from + 4));
    for (long i = from; i <= from + 4; i++) {
      assertEquals(place(i), next.find(numberedIntent(i)));
    }
  }

  @ParameterizedTest(name = "at change {0} of the disk")
  @ValueSource(ints = {1, 2, 3, 4})
  void aTruncationThatIsInterruptedIsRepeated(int change) {
    IntentStore store = new IntentStore(disk, TEN);
    write(store, 1, 7);
    disk.failAt = change;
    assertThrows(IllegalStateException.class, () -> store.truncate(24));
    disk.failAt = 0;
    IntentStore next = new IntentStore(disk, TEN);
    assertEquals(35, next.through(), "not covered less before all is deleted");
    next.truncate(24);
    requireCut(next, 24, 20);
  }

  @Test
  void rowsOfALaterVersionAreRefused() {
    Batch later = new Batch();
    byte[] generations = IntentGenerations.NONE.encoded();
    generations[0] = 2;
    later.put(Database.DEFAULT, IntentRows.GENERATIONS, generations);
    disk.write(later);
    assertThrows(IntentStoreException.class, () -> new IntentStore(disk, TEN));
  }

  @Test
  void itWorksOnTheDatabaseOfTheProduct(@TempDir Path directory) throws IOException {
    DatabaseOptions small = new DatabaseOptions(1 << 20, 64 << 10);
    for (int run = 0; run < 5; run++) {
      try (Database rocks = RocksDatabase.open(directory.resolve("intents"), small)) {
        IntentStore store = new IntentStore(rocks, TEN);
        requireAllOf(store, 15L * run);
        write(store, 3 * run + 1, 3 * run + 3);
        requireAllOf(store, 15L * (run + 1));
      }
    }
    try (Database rocks = RocksDatabase.open(directory.resolve("intents"), small)) {
      IntentStore store = new IntentStore(rocks, TEN);
      assertEquals(60, store.forgottenThrough());
      assertEquals(Set.of("intents-6", "intents-7", "intents-8"), rocks.families());
      store.truncate(70);
      requireCut(store, 70, 60);
      assertEquals(Set.of("intents-7", "intents-8"), rocks.families());
    }
  }

  private static void requireCut(IntentStore store, long end, long forgotten) {
    assertEquals(Math.min(35, end), Math.min(35, store.through()));
    assertEquals(forgotten, store.forgottenThrough());
    requireAllOf(store, store.through());
    for (long i = end + 1; i <= 100; i++) {
      assertNull(store.find(numberedIntent(i)), "entry " + i + " does not exist");
    }
  }

  /** All intents up to an entry are found, apart from those that are said to be forgotten. */
  private static void requireAllOf(IntentStore store, long last) {
    for (long i = 1; i <= last; i++) {
      var found = store.find(numberedIntent(i));
      StoredClient client = store.client(numberedIntent(i).client());
      long forgotten = store.forgottenThrough(); // asked afterwards
      if (found == null || client == null) {
        assertTrue(i <= forgotten, "entry " + i + " is missing, forgotten through " + forgotten);
      } else {
        assertEquals(place(i), found);
        assertEquals(CommittedEntries.W, client.worker());
        assertTrue(client.highestSeqNo() >= numberedIntent(i).seqNo());
      }
    }
  }

  private static void write(IntentStore store, int from, int to) {
    for (int batch = from; batch <= to; batch++) {
      store.write(batch(5L * batch - 4, 5L * batch));
    }
  }

  /** Fails, and lets others look, at each change. */
  private static final class Disk implements Database {
    private final Database rows = new InMemoryDatabase();
    private Runnable look = () -> {};
    private boolean failsLate;
    private int failAt;

    @Override
    public void write(Batch batch) {
      change(() -> rows.write(batch));
      if (failsLate) {
        throw new IllegalStateException("written, but nobody knows");
      }
    }

    @Override
    public void createFamily(String family) {
      change(() -> rows.createFamily(family));
    }

    @Override
    public void dropFamily(String family) {
      change(() -> rows.dropFamily(family));
    }

    @Override
    public byte @Nullable [] get(String family, byte[] key) {
      return rows.get(family, key);
    }

    @Override
    public Set<String> families() {
      return rows.families();
    }

    @Override
    public byte @Nullable [] scan(String family, byte[] from, int limit, RowConsumer consumer) {
      return rows.scan(family, from, limit, consumer);
    }

    @Override
    public long approximateCount(String family) {
      return rows.approximateCount(family);
    }

    @Override
    public void close() {
      rows.close();
    }

    private void change(Runnable change) {
      if (failAt > 0 && --failAt == 0) {
        throw new IllegalStateException("the disk fails here");
      }
      look.run();
      change.run();
      look.run();
    }
  }
}
