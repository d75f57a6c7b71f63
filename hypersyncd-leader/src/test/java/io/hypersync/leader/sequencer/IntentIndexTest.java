package io.hypersync.leader.sequencer;

import static io.hypersync.leader.sequencer.CommittedEntries.W;
import static io.hypersync.leader.sequencer.CommittedEntries.entry;
import static io.hypersync.leader.sequencer.CommittedEntries.intent;
import static io.hypersync.leader.sequencer.CommittedEntries.numbered;
import static io.hypersync.leader.sequencer.CommittedEntries.numberedIntent;
import static io.hypersync.leader.sequencer.CommittedEntries.place;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.database.InMemoryDatabase;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.OpId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.wire.message.LeaderMessage.Committed;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The entries of intents, and how long they are remembered (hypersync.md 8.2). */
class IntentIndexTest {
  private static final long NOT_FOUND = 0;
  private static final long HOUR_NS = 3_600_000_000_000L;
  private static final WorkerId OTHER = new WorkerId("w2");
  private static final IntentRetention FOREVER = new IntentRetention(1_000_000, HOUR_NS);

  private final InMemoryDatabase disk = new InMemoryDatabase();

  @ParameterizedTest(name = "stored: {0}")
  @ValueSource(booleans = {false, true})
  void anIntentIsFoundWhereItWasPut(boolean stored) {
    IntentIndex index = index(FOREVER);
    index.add(entry(1, intent(1, 1)));
    index.add(entry(2, intent(2, 1)));
    persistIf(stored, index, 2);
    assertEquals(1, find(index, intent(1, 1)));
    assertEquals(2, find(index, intent(2, 1)));
    assertEquals(place(2), index.place(intent(2, 1)), "all that the ack says");
    assertEquals(NOT_FOUND, find(index, intent(1, 2)));
    assertEquals(NOT_FOUND, find(index, intent(3, 1)));
    assertEquals(stored ? 0 : 2, index.inMemory());
  }

  @ParameterizedTest(name = "stored: {0}")
  @ValueSource(booleans = {false, true})
  void aClientBelongsToTheWorkerOfItsFirstIntent(boolean stored) {
    IntentIndex index = index(FOREVER);
    ClientId client = intent(1, 1).client();
    assertTrue(index.mayBelongTo(client, W));
    assertTrue(index.mayBelongTo(client, OTHER));
    index.add(entry(1, intent(1, 1)));
    persistIf(stored, index, 1);
    assertTrue(index.mayBelongTo(client, W));
    assertFalse(index.mayBelongTo(client, OTHER));
  }

  @ParameterizedTest(name = "a batch of {0}")
  @ValueSource(ints = {1, 3, 100})
  void nothingIsForgottenBeforeItIsOldHoweverManyCome(int batch) {
    IntentIndex index = index(new IntentRetention(2, HOUR_NS));
    for (int i = 1; i <= 100; i++) {
      add(index, i, i, batch);
    }
    assertEquals(1, find(index, intent(1, 1)), "99 ns old");
    assertEquals(0, index.forgottenThrough());
  }

  @ParameterizedTest(name = "a batch of {0}")
  @ValueSource(ints = {1, 3, 100})
  void nothingIsForgottenWhileThereAreFewHoweverOldItIs(int batch) {
    IntentIndex index = index(new IntentRetention(100, HOUR_NS));
    for (int i = 1; i <= 50; i++) {
      add(index, i, i * HOUR_NS, batch);
    }
    assertEquals(1, find(index, intent(1, 1)), "one of the last 100");
    assertEquals(0, index.forgottenThrough());
  }

  @Test
  void whatIsOldAndFollowedByManyIsForgotten() {
    IntentIndex index = index(new IntentRetention(2, HOUR_NS));
    for (int i = 1; i <= 10; i++) {
      add(index, i, i * HOUR_NS, 1);
    }
    assertEquals(NOT_FOUND, find(index, intent(1, 1)));
    assertEquals(9, find(index, intent(1, 9)));
    assertEquals(10, find(index, intent(1, 10)));
    long forgotten = index.forgottenThrough();
    assertTrue(forgotten >= 1 && forgotten <= 8, "through " + forgotten);
    for (long i = forgotten + 1; i <= 10; i++) {
      assertEquals(i, find(index, intent(1, i)), "what is not forgotten is known");
    }
  }

  @Test
  void whatIsForgottenStaysForgottenAfterARestart() {
    IntentIndex before = index(new IntentRetention(2, HOUR_NS));
    for (int i = 1; i <= 10; i++) {
      add(before, i, i * HOUR_NS, 1);
    }
    IntentIndex after = index(new IntentRetention(2, HOUR_NS));
    assertEquals(before.forgottenThrough(), after.forgottenThrough());
    for (int i = 1; i <= 10; i++) {
      assertEquals(find(before, intent(1, i)), find(after, intent(1, i)), "intent " + i);
    }
  }

  /** One client per intent, and one client with gaps between its numbers. */
  @ParameterizedTest(name = "{0} clients, every {1}th number")
  @CsvSource({"20000, 1", "1, 60"})
  void memoryHoldsNoMoreThanABatch(int clients, int step) {
    IntentIndex index = new IntentIndex(new IntentStore(disk, FOREVER), 1_000);
    for (int i = 1; i <= 20_000; i++) {
      index.add(entry(i, intent(1 + i % clients, (long) step * i)));
      if (index.isDue(i)) {
        index.persist(i);
      }
      assertTrue(index.inMemory() < 1_000, "at " + i);
    }
    for (int i = 1; i <= 20_000; i++) {
      assertEquals(
          i, find(index, intent(1 + i % clients, (long) step * i)), "nothing is forgotten");
    }
  }

  /** Where a crash finds the two threads that bring a batch to the store. */
  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "nothing was taken,                    0",
    "a batch was taken,                    0",
    "it was written and nobody was told,   6",
    "it has left memory,                   6",
  })
  void noIntentIsMissingWhereverItIs(String crash, long through) {
    IntentIndex index = index(FOREVER);
    for (int i = 1; i <= 8; i++) {
      index.add(numbered(i));
    }
    if (!crash.startsWith("nothing")) {
      IntentBatch batch = index.take(6); // entries 7 and 8 are not durable yet
      assertNotNull(batch);
      index.add(numbered(9));
      requireAll(index, 9, "taken");
      if (!crash.startsWith("a batch")) {
        index.store().write(batch);
        requireAll(index, 9, "written");
      }
      if (crash.startsWith("it has left")) {
        index.written(batch);
        requireAll(index, 9, "told");
        assertEquals(3, index.inMemory());
      }
    }
    IntentIndex after = index(FOREVER);
    assertEquals(through, after.through());
    for (int i = 1; i <= 8; i++) {
      after.add(numbered(i));
    }
    after.logEnds(8);
    requireAll(after, 8, "replayed from the first entry");
    IntentIndex trimmed = index(FOREVER);
    trimmed.requireCovered(through + 1);
    for (long i = through + 1; i <= 8; i++) {
      trimmed.add(numbered(i));
    }
    requireAll(trimmed, 8, "replayed from a snapshot");
  }

  @Test
  void oneBatchIsWrittenAtATime() {
    IntentIndex index = index(FOREVER);
    assertNull(index.take(0), "there is nothing");
    index.add(numbered(1));
    assertNull(index.take(0), "nothing is durable");
    IntentBatch first = index.take(1);
    assertNotNull(first);
    index.add(numbered(2));
    assertNull(index.take(2), "the first is still written");
    index.store().write(first);
    index.written(first);
    assertThrows(IllegalArgumentException.class, () -> index.written(first));
    IntentBatch second = index.take(2);
    assertNotNull(second);
    assertEquals(1, second.size());
    assertEquals(2, second.through());
  }

  @ParameterizedTest(name = "stored through 4, the log begins at {0}: {1}")
  @CsvSource({"1, true", "4, true", "5, true", "6, false", "100, false"})
  void aLogThatBeginsBehindWhatIsStoredIsRefused(long first, boolean fits) {
    IntentIndex index = index(FOREVER);
    for (int i = 1; i <= 4; i++) {
      index.add(numbered(i));
    }
    index.persist(4);
    IntentIndex next = index(FOREVER);
    if (fits) {
      next.requireCovered(first);
      next.add(numbered(first));
      requireAll(next, Math.max(4, first), "it fits");
      return;
    }
    IntentStoreException refused =
        assertThrows(IntentStoreException.class, () -> next.requireCovered(first));
    assertTrue(
        refused.getMessage().startsWith("the stored intents end at entry 4, but the log begins"),
        refused::getMessage);
    assertThrows(IntentStoreException.class, () -> next.add(numbered(first)));
  }

  @Test
  void theLogOfOtherIntentsIsRefused() {
    IntentIndex index = index(FOREVER);
    for (int i = 1; i <= 4; i++) {
      index.add(numbered(i));
    }
    index.persist(4);
    IntentIndex next = index(FOREVER);
    next.add(numbered(3)); // only the last one is compared
    LogEntry same = numbered(4);
    LogEntry other =
        new LogEntry(
            same.index(),
            new OpId(9, 9),
            same.committedAtNs(),
            same.intent(),
            same.origin(),
            same.agent(),
            same.op(),
            same.createdNode(),
            same.root(),
            new byte[0],
            new byte[0]);
    assertThrows(IntentStoreException.class, () -> next.add(other));
    next.add(numbered(4));
    next.add(numbered(5));
    next.logEnds(5);
    requireAll(next, 5, "its own log");
  }

  @ParameterizedTest(name = "stored through 6, the log ends at {0}")
  @ValueSource(longs = {0, 1, 3, 5, 6, 9})
  void whatTheLogHasLostIsNotCommitted(long end) {
    IntentIndex index = index(FOREVER);
    for (int i = 1; i <= 6; i++) {
      index.add(numbered(i));
    }
    index.persist(6);
    IntentIndex next = index(FOREVER);
    for (int i = 1; i <= end; i++) {
      next.add(numbered(i));
    }
    next.logEnds(end);
    requireAll(next, end, "what the log has");
    for (long i = end + 1; i <= 10; i++) {
      assertEquals(NOT_FOUND, find(next, numberedIntent(i)), "entry " + i);
    }
    next.add(entry(end + 1, intent(9, 9)));
    assertEquals(end + 1, find(next, intent(9, 9)), "another entry in its place");
    next.persist(end + 1);
    assertEquals(end + 1, find(index(FOREVER), intent(9, 9)));
  }

  /** Everything at random; after each step all intents are found where they are. */
  @Test
  void itAgreesWithTheLogWhateverHappens() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int history = 0; history < 30; history++) {
      InMemoryDatabase database = new InMemoryDatabase();
      IntentIndex index = new IntentIndex(new IntentStore(database, FOREVER), 5);
      long last = 0;
      long durable = 0;
      @Nullable IntentBatch batch = null;
      boolean isWritten = false;
      for (int step = 0; step < 150; step++) {
        switch (random.nextInt(8)) {
          case 0, 1, 2 -> index.add(numbered(++last));
          case 3 -> durable = last;
          case 4 -> {
            IntentBatch taken = index.take(durable);
            if (taken != null) {
              batch = taken;
              isWritten = false;
            }
          }
          case 5 -> {
            if (batch != null) {
              index.store().write(batch); // perhaps once more
              isWritten = true;
            }
          }
          case 6 -> {
            if (batch != null && isWritten) {
              index.written(batch);
              batch = null;
            }
          }
          default -> {
            if (random.nextInt(4) == 0) {
              last = durable;
              batch = null;
              index = new IntentIndex(new IntentStore(database, FOREVER), 5);
              for (long i = 1 + random.nextLong(index.through() + 1); i <= last; i++) {
                index.add(numbered(i));
              }
              index.logEnds(last);
            }
          }
        }
        requireAll(index, last, "seed " + seed + " history " + history + " step " + step);
        for (long i = last + 1; i <= last + 3; i++) {
          assertEquals(NOT_FOUND, find(index, numberedIntent(i)), "seed " + seed);
        }
      }
    }
  }

  private IntentIndex index(IntentRetention retention) {
    return new IntentIndex(new IntentStore(disk, retention), 1);
  }

  /** Adds intent {@code i} of client 1, and writes a batch when there are enough. */
  private static void add(IntentIndex index, long i, long timeNs, int batch) {
    index.add(entry(i, intent(1, i), W, timeNs));
    if (i % batch == 0) {
      index.persist(i);
    }
  }

  private static void persistIf(boolean stored, IntentIndex index, long through) {
    if (stored) {
      index.persist(through);
    }
  }

  private static void requireAll(IntentIndex index, long last, String when) {
    for (long i = 1; i <= last; i++) {
      assertEquals(i, find(index, numberedIntent(i)), when + ": entry " + i);
      assertEquals(place(i), index.place(numberedIntent(i)), when);
      assertTrue(index.mayBelongTo(numberedIntent(i).client(), W), when);
      assertFalse(index.mayBelongTo(numberedIntent(i).client(), OTHER), when);
    }
  }

  /** The log index of the intent, or {@link #NOT_FOUND}. */
  private static long find(IntentIndex index, IntentId intent) {
    Committed place = index.place(intent);
    return place == null ? NOT_FOUND : place.logIndex();
  }
}
