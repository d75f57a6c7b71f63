package io.hypersync.leader.sequencer;

import io.hypersync.chunkstore.database.DatabaseException;
import io.hypersync.chunkstore.database.InMemoryDatabase;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.wire.message.LeaderMessage.Committed;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Maps committed intents to their entries, for deduplication (hypersync.md 8.2). The intents of
 * entries up to {@link #through} are in the {@link IntentStore}, those of later ones in memory. A
 * start reads the log from there on.
 *
 * <p>Memory goes to the store in batches, which are written off the leader's loop:
 *
 * <pre>
 *   take(k)           on the loop; k is durable. What memory has up to k is the batch; it stays in
 *                     memory, and new intents go to another map
 *   store.write       on any thread: one atomic, durable write of the batch and of through = k
 *   written(batch)    on the loop: the batch leaves memory
 * </pre>
 *
 * <p>Why no intent is ever missing: {@link #add} puts it in memory in the same turn in which it is
 * sequenced, or when the log is replayed. It leaves memory only in {@code written}, hence after
 * {@code store.write} has returned, hence when it is durable in the store and every later lookup
 * finds it there. A lookup asks memory first and then the store, on the thread that calls {@code
 * take} and {@code written}, so it cannot fall between the two. A crash loses memory, and the next
 * start finds a store that covers all entries up to some {@code through}, by one atomic write: that
 * before the batch, or that of the batch. Everything behind is replayed from the log, which is
 * trimmed only up to {@code through}. Both begin or end at an entry, and {@link #add} insists that
 * none is left out between.
 *
 * <p>Why no intent is found at a wrong entry: a batch has only entries that are durable in the log,
 * so no later leader commits others in their place. (A replay may store entries whose end of the
 * log is not synced yet; that is undone like a cut.) If the log has been cut or restored from an
 * older copy nevertheless, {@link #logEnds} deletes what is stored of later entries before anything
 * is sequenced.
 *
 * <p>A forgotten intent could be committed again. So a caller that does not find an intent must
 * check {@link #forgottenThrough}, afterwards, and whether the worker may still ask about intents
 * that old ({@link ForgottenIntents}).
 *
 * <p>Single-threaded.
 */
public final class IntentIndex {
  /** So many intents in memory make a batch: a few megabytes. */
  public static final int DEFAULT_BATCH = 16_384;

  /** How often {@link #persist} waits for a slow disk, 10 seconds each time. */
  private static final int MAX_WAITS = 60;

  /** How many clients of stored intents are kept in memory. */
  private static final int MAX_CLIENTS = 8_192;

  private final IntentStore store;
  private final int batchSize;
  private RecentIntents recent;

  /** What {@link #take} has taken, with perhaps some newer intents; null if nothing is written. */
  private @Nullable RecentIntents taken;

  private @Nullable IntentBatch batch;

  /**
   * Clients of stored intents, and that a client has none. So a new intent of a client that has
   * sent others needs no lookup in the store: its number is higher than theirs.
   */
  private final Map<ClientId, Found> clients = new LruMap();

  /** The result of a lookup. */
  private record Found(@Nullable StoredClient client) {}

  /**
   * Continues behind what is stored.
   *
   * @param batchSize so many intents in memory make a batch
   */
  public IntentIndex(IntentStore store, int batchSize) {
    this.store = store;
    this.batchSize = batchSize;
    this.recent = new RecentIntents(store.through());
  }

  /** An index that keeps nothing beyond this object. */
  public static IntentIndex inMemory(IntentRetention retention) {
    return new IntentIndex(new IntentStore(new InMemoryDatabase(), retention), DEFAULT_BATCH);
  }

  /**
   * An index for a replay that never looks for an intent, of a log that may begin behind entry 1:
   * it takes the intents of all entries before that one for stored.
   *
   * @param first the first entry of the log
   */
  public static IntentIndex unused(long first) {
    IntentStore store = new IntentStore(new InMemoryDatabase(), new IntentRetention(1, 0));
    if (first > 1) {
      store.beginBehind(first - 1);
    }
    return new IntentIndex(store, DEFAULT_BATCH);
  }

  /**
   * The entry that the intent has become, durable or not; null if it is not in the log, or was
   * forgotten.
   *
   * @throws DatabaseException if the store cannot be read
   */
  public @Nullable Committed place(IntentId intent) {
    Committed place = recent.find(intent);
    if (place == null) {
      place = beingWritten(intent);
    }
    return place == null ? stored(intent) : place;
  }

  /**
   * Remembers a committed intent: that of the next entry, or in a replay one that is stored, for
   * which nothing is done.
   *
   * @throws IntentStoreException if entries between the stored ones and this one are missing, or
   *     what is stored is of another log
   */
  public void add(LogEntry entry) {
    if (entry.index() <= store.through() && recent.through() == store.through()) {
      if (entry.index() == store.through()) {
        store.requireLast(entry.opId());
      }
      return;
    }
    if (entry.index() != recent.through() + 1) {
      throw gap(entry.index());
    }
    recent.add(CommittedIntent.of(entry));
  }

  /**
   * Requires that the log has every entry that is not covered by the store.
   *
   * @param first the first entry of the log, or the one that it will have
   * @throws IntentStoreException if entries before that are not covered
   */
  public void requireCovered(long first) {
    if (first > store.through() + 1) {
      throw gap(first);
    }
  }

  /**
   * The log was replayed. If it ends before {@link #through}, it was cut: what is stored of later
   * entries is deleted.
   *
   * @param last its last entry; 0 if it has none
   * @throws DatabaseException if the store fails
   */
  public void logEnds(long last) {
    if (last < store.through()) {
      store.truncate(last);
      recent = new RecentIntents(store.through());
      clients.clear();
    }
  }

  /** Whether enough intents up to this entry are in memory for a batch, and none is written. */
  public boolean isDue(long durableIndex) {
    return taken == null && durableIndex - recent.after() >= batchSize;
  }

  /**
   * Takes the intents of all entries up to {@code durableIndex} that are not stored. Takes a moment
   * however many they are, apart from those of newer entries.
   *
   * @param durableIndex an entry that is durable in the log
   * @return what must be given to {@link IntentStore#write} and then to {@link #written}; null if
   *     there is nothing to write, or the last batch is still being written
   */
  public @Nullable IntentBatch take(long durableIndex) {
    long through = Math.min(durableIndex, recent.through());
    if (taken != null || through <= recent.after()) {
      return null;
    }
    RecentIntents all = recent;
    recent = new RecentIntents(through);
    all.behind(through).forEach(recent::add);
    taken = all;
    batch = new IntentBatch(all.through(through));
    return batch;
  }

  /** The store has written a batch. */
  public void written(IntentBatch durable) {
    if (durable != batch) {
      throw new IllegalArgumentException("this batch was not taken");
    }
    taken = null;
    batch = null;
    clients.clear(); // as before the batch
  }

  /**
   * Writes the intents of all entries up to {@code durableIndex} to the store, on this thread. A
   * replay of a long log is faster than a disk: it waits for it.
   *
   * @throws DatabaseException if that fails
   */
  public void persist(long durableIndex) {
    IntentBatch next = take(durableIndex);
    if (next == null) {
      return;
    }
    for (int left = MAX_WAITS; ; left--) {
      try {
        store.write(next);
        break;
      } catch (DatabaseException e) {
        if (e.errno() != Errno.EAGAIN || left == 0) {
          throw e;
        }
      }
    }
    written(next);
  }

  /** Whether the client is unknown or belongs to this worker. */
  public boolean mayBelongTo(ClientId client, WorkerId worker) {
    WorkerId owner = recent.worker(client);
    if (owner == null && taken != null) {
      owner = taken.worker(client);
    }
    if (owner == null) {
      StoredClient stored = stored(client);
      owner = stored == null ? worker : stored.worker();
    }
    return owner.equals(worker);
  }

  /** Intents that became entries up to this index may have been forgotten; 0 if none was. */
  public long forgottenThrough() {
    return store.forgottenThrough();
  }

  /**
   * The entries up to this one are covered by the store. A snapshot at an entry may replace the log
   * up to it once this is not less.
   */
  public long through() {
    return store.through();
  }

  /** The durable part. */
  public IntentStore store() {
    return store;
  }

  /** How many intents are in memory. */
  public long inMemory() {
    return recent.through() - (taken == null ? recent.after() : taken.after());
  }

  private @Nullable Committed beingWritten(IntentId intent) {
    return taken == null ? null : taken.find(intent);
  }

  private @Nullable Committed stored(IntentId intent) {
    StoredClient client = stored(intent.client());
    return client == null || intent.seqNo() > client.highestSeqNo() ? null : store.find(intent);
  }

  private @Nullable StoredClient stored(ClientId id) {
    Found found = clients.get(id);
    if (found == null) {
      found = new Found(store.client(id));
      clients.put(id, found);
    }
    return found.client;
  }

  private IntentStoreException gap(long index) {
    return new IntentStoreException(
        "the stored intents end at entry "
            + recent.through()
            + ", but the log begins at entry "
            + index
            + ": which intents became the entries between them is not known");
  }

  /** The clients that were looked up last. */
  private static final class LruMap extends LinkedHashMap<ClientId, Found> {
    private static final long serialVersionUID = 1L;

    LruMap() {
      super(16, 0.75f, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<ClientId, Found> eldest) {
      return size() > MAX_CLIENTS;
    }
  }
}
