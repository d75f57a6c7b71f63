package io.hypersync.leader.sequencer;

import io.hypersync.chunkstore.database.Batch;
import io.hypersync.chunkstore.database.Database;
import io.hypersync.chunkstore.database.DatabaseException;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.OpId;
import io.hypersync.wire.message.LeaderMessage.Committed;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The durable part of the {@link IntentIndex}: the committed intents of all entries up to {@link
 * #through}, so that the log before that may be trimmed. Rows: {@link IntentRows}. Retention is by
 * generations, {@link IntentGenerations}, each of them a family of the database.
 *
 * <p>Each {@link #write} is one atomic, durable write of intents, of the index that they reach, and
 * of what is forgotten from then on. So after any crash, the stored intents are exactly those of
 * the entries behind {@link #forgottenThrough} up to {@link #through}, perhaps with some forgotten
 * ones more. A write that failed, or was cut off by a crash, may have happened or not; repeated, it
 * gives the same rows.
 *
 * <p>Threads: any thread may look up; one thread at a time may write. A lookup that runs beside a
 * write may miss an intent for one reason only, that it is forgotten. {@link #forgottenThrough}
 * says so to whoever asks after the lookup, because it is published with the number of the newest
 * generation, and both before a family is dropped, which the next write does.
 */
public final class IntentStore {
  private static final Logger LOG = LoggerFactory.getLogger(IntentStore.class);
  private static final int SLICE = 4_096;
  private static final String PREFIX = IntentRows.family(0).replace("0", "");

  private final Database database;
  private final IntentRetention retention;
  private volatile View view;

  /** The generations, and the names of the families of those that are remembered. */
  private record View(IntentGenerations generations, String newest, String previous) {
    static View of(IntentGenerations generations) {
      return new View(
          generations,
          IntentRows.family(generations.newest()),
          IntentRows.family(generations.newest() - 1));
    }
  }

  /**
   * Begins with what the database has.
   *
   * @param database empty, or written by an intent store; nobody else writes it
   * @throws IntentStoreException if a later version has written it
   * @throws DatabaseException if it cannot be read
   */
  public IntentStore(Database database, IntentRetention retention) {
    this.database = database;
    this.retention = retention;
    byte[] stored = database.get(Database.DEFAULT, IntentRows.GENERATIONS);
    this.view = View.of(stored == null ? IntentGenerations.NONE : IntentGenerations.decode(stored));
  }

  /** The intents of all entries up to this one are stored, or were forgotten; 0 for none. */
  public long through() {
    return view.generations.through();
  }

  /** Intents of entries up to this one may have been forgotten; 0 if none was. */
  public long forgottenThrough() {
    return view.generations.forgottenThrough();
  }

  /**
   * Compares the entry {@link #through} of the log with what is stored of it.
   *
   * @throws IntentStoreException if it is another one: the log and the intents do not belong
   *     together, so whether an intent was committed cannot be told
   */
  void requireLast(OpId entry) {
    IntentGenerations now = view.generations;
    if (!now.last().equals(entry) && !now.last().equals(IntentGenerations.UNKNOWN)) {
      throw new IntentStoreException(
          "the stored intents are not those of this log: its entry "
              + now.through()
              + " is "
              + entry
              + ", and theirs is "
              + now.last());
    }
  }

  /**
   * The entry that an intent has become; null if it is not stored.
   *
   * @throws DatabaseException if the database cannot be read
   */
  public @Nullable Committed find(IntentId intent) {
    View now = view;
    byte[] key = IntentRows.key(intent);
    byte[] value = database.get(now.newest, key);
    if (value == null) {
      value = database.get(now.previous, key);
    }
    return value == null ? null : IntentRows.place(value);
  }

  /**
   * What is known of a client; null if no intent of it is remembered.
   *
   * @throws DatabaseException if the database cannot be read
   */
  @Nullable StoredClient client(ClientId client) {
    View now = view;
    byte[] key = IntentRows.key(client);
    StoredClient newest = client(now.newest, key);
    StoredClient previous = client(now.previous, key);
    return previous == null ? newest : newest == null ? previous : previous.and(newest);
  }

  /**
   * Writes a batch, and returns when it is on stable storage. May take long; not for the leader's
   * event loop.
   *
   * @throws DatabaseException if it fails; the same batch may be written again
   * @throws IllegalArgumentException if the batch does not begin right behind {@link #through}
   */
  public void write(IntentBatch batch) {
    IntentGenerations before = view.generations;
    if (batch.through() <= before.through()) {
      return; // written before
    }
    if (batch.first() != before.through() + 1) {
      throw new IllegalArgumentException(
          "entry " + batch.first() + " is not the next one after " + before.through());
    }
    dropForgotten();
    View after = View.of(before.with(batch, retention));
    if (!database.families().contains(after.newest)) {
      database.createFamily(after.newest);
    }
    Batch rows = new Batch();
    addRows(rows, after.newest, batch);
    rows.put(Database.DEFAULT, IntentRows.GENERATIONS, after.generations.encoded());
    database.writePatiently(rows);
    view = after;
  }

  /**
   * Begins behind an entry: for a workspace that begins with a state whose entries were made in
   * another one. No worker of this workspace has sent intents that became those entries, so there
   * is nothing to remember of them. Durable on return.
   *
   * @param index the last entry that the state has
   * @throws IllegalStateException if intents are stored already
   * @throws DatabaseException if it fails
   */
  public void beginBehind(long index) {
    begin(IntentGenerations.behind(index));
  }

  /**
   * Begins behind an entry with those up to it forgotten: for a state that goes on with a workspace
   * whose older entries it does not have. A worker that may have sent an intent of theirs is told
   * nothing of it ({@link ForgottenIntents}). Durable on return.
   *
   * @param index the last entry that the log does not have
   * @throws IllegalStateException if intents are stored already
   * @throws DatabaseException if it fails
   */
  public void beginForgotten(long index) {
    begin(IntentGenerations.forgotten(index));
  }

  private void begin(IntentGenerations first) {
    if (view.generations.through() > 0) {
      throw new IllegalStateException("intents up to entry " + through() + " are stored");
    }
    View after = View.of(first);
    Batch rows = new Batch();
    rows.put(Database.DEFAULT, IntentRows.GENERATIONS, after.generations.encoded());
    database.writePatiently(rows);
    view = after;
  }

  /**
   * Deletes the intents of entries that the log does not have: it was cut, or restored from an
   * older copy. Without effect if there are none. Else it reads all rows, which takes seconds for
   * each million; after an interruption the next call deletes what is left.
   *
   * @param end the log's last entry
   * @throws DatabaseException if it fails
   */
  public void truncate(long end) {
    IntentGenerations before = view.generations;
    if (before.through() <= end) {
      return;
    }
    LOG.warn(
        "intents are stored up to entry {}, but the log ends at entry {}: what is behind it is"
            + " deleted",
        before.through(),
        end);
    dropForgotten();
    for (String family : database.families()) {
      truncate(family, end);
    }
    Batch last = new Batch();
    View after = View.of(before.endingAt(end));
    last.put(Database.DEFAULT, IntentRows.GENERATIONS, after.generations.encoded());
    database.writePatiently(last);
    view = after;
  }

  private static void addIntent(Batch rows, String family, CommittedIntent intent) {
    rows.put(family, IntentRows.key(intent.intent()), IntentRows.value(intent.place()));
  }

  private void addRows(Batch rows, String family, IntentBatch batch) {
    Map<ClientId, StoredClient> clients = new HashMap<>();
    for (CommittedIntent intent : batch.intents()) {
      addIntent(rows, family, intent);
      clients.merge(
          intent.intent().client(),
          new StoredClient(intent.origin(), intent.intent().seqNo()),
          StoredClient::and);
    }
    clients.forEach(
        (id, client) -> {
          byte[] key = IntentRows.key(id);
          StoredClient known = client(family, key);
          rows.put(family, key, IntentRows.value(known == null ? client : known.and(client)));
        });
  }

  private @Nullable StoredClient client(String family, byte[] key) {
    byte[] value = database.get(family, key);
    return value == null ? null : IntentRows.client(value);
  }

  private void truncate(String family, long end) {
    byte[] next = {};
    while (next != null) {
      Batch deletions = new Batch();
      next =
          database.scan(
              family,
              next,
              SLICE,
              (key, value) -> {
                if (key.length > IntentRows.CLIENT_KEY_BYTES && IntentRows.index(value) > end) {
                  deletions.delete(family, key);
                }
              });
      if (deletions.size() > 0) {
        database.writePatiently(deletions);
      }
    }
  }

  /** Drops the families of generations before the previous one. */
  private void dropForgotten() {
    View now = view;
    for (String family : database.families()) {
      if (family.startsWith(PREFIX)
          && !family.equals(now.newest)
          && !family.equals(now.previous)
          && Long.parseLong(family.substring(PREFIX.length())) < now.generations.newest()) {
        database.dropFamily(family);
      }
    }
  }
}
