package io.hypersync.sim.disk;

import io.hypersync.chunkstore.database.Database;
import io.hypersync.chunkstore.database.InMemoryDatabase;
import io.hypersync.leader.lineage.Lineage;
import io.hypersync.leader.lineage.Term;
import io.hypersync.leader.oplog.ForwardingListener;
import io.hypersync.leader.oplog.OpLogCorruptException;
import io.hypersync.leader.oplog.RecoveryListener;
import io.hypersync.leader.oplog.chronicle.SteppedLog;
import io.hypersync.leader.presence.ResumeKey;
import io.hypersync.leader.standby.StandbyFile;
import io.hypersync.model.hash.Hash;
import io.hypersync.sim.check.Violation;
import io.hypersync.sim.world.Prng;
import io.hypersync.snapshot.CollectionMark;
import io.hypersync.snapshot.HeldRestore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The leader's disk, which survives its runs: the log's files, the chunk store, the intents. */
public final class LeaderDisk {
  /** Small, so that a history fills several segments. */
  private static final int SEGMENT_BYTES = 48 << 10;

  /** Which keys these are decides nothing in a history. */
  private static final List<ResumeKey> KEYS = List.of(ResumeKey.generate(), ResumeKey.generate());

  /** A snapshot was finished while a worker fetched one, or had been offered one. */
  public static final String TAKEN_BESIDE = "snapshots that are taken while a worker installs one";

  /** A collection has come to its end. */
  public static final String COLLECTION_DONE = "collections";

  /** A collection that came to its end has removed something. */
  public static final String COLLECTION_REMOVED = "collections that remove something";

  /** A collection could not read something that is alive, or had no room. */
  public static final String COLLECTION_FAILED = "collections that are given up";

  /** A crash has ended a collection. */
  public static final String COLLECTION_CUT = "collections that a crash ends";

  /** A worker has taken its session up again by its token. */
  public static final String SESSION_RESUMED = "sessions that are taken up again";

  /** A token has taken up a session of an earlier run of the leader. */
  public static final String SESSION_TAKEN_OVER = "sessions that a new leader goes on with";

  /** A token has taken up a session that had a connection. */
  public static final String SESSION_REPLACED = "sessions that another connection takes up";

  /** A lease of a worker has ended, since it was away for too long. */
  public static final String LEASE_ENDED = "leases that end";

  /** Somebody has sent a wrong token. */
  public static final String WRONG_TOKEN = "resume tokens that are not taken";

  /** A leader has started without a snapshot that is in the catalog: its record cannot be read. */
  public static final String HIDDEN = "records that cannot be read at a start";

  /** A start has taken a snapshot before it had replayed the log. */
  public static final String SAVED_IN_REPLAY = "snapshots that a start takes during its replay";

  /** A leader has started from an earlier entry than one up to which chunks were collected. */
  public static final String STARTED_BEHIND = "starts from before what was collected";

  /** A worker says Hello with a state of which nobody need have all content any more. */
  public static final String CAME_BACK = "workers that are behind a collection";

  /** Chunks that only overwritten content had may have been removed. */
  public static final String COLLECTED_LOG = "collections behind entries of the log";

  /** Something older than the newest snapshot has kept content of overwritten entries. */
  public static final String HELD_BACK = "collections that stop short of the newest snapshot";

  /** A state was restored that had such a restore in it. */
  public static final String RESTORED_AGAIN = "restores of a restore of everything";

  /** A start has found a record of a state that no entry restores: a crash came between. */
  public static final String RESTORE_CUT = "restores of everything that a crash ends";

  /** A start has found the entry of a record that a crash has kept from being made exact. */
  public static final String RESTORE_FOUND = "restores of everything that a start finds";

  /** A start has gone through such an entry. */
  public static final String RESTORE_REPLAYED = "restores of everything that are replayed";

  /** A start could not read what agents had done before its snapshot. */
  public static final String FORGOTTEN = "starts that do not know what agents did";

  /** A hazard was told with an entry before the snapshot that this leader has begun with. */
  public static final String TOLD_OVER_START = "hazards with what was before a start";

  /** A caller has run the agents until its mutation was committed, and shown. */
  public static final String COMMITTED_BY_CALLER = "commits that a caller makes itself";

  /** A caller has found that somebody owns the agents. */
  public static final String CALLER_FOUND_OWNER = "callers that find an owner";

  /** A caller has had a message to another host wait for home. */
  public static final String PUT_OFF = "messages of a caller that wait for home";

  /** Home has told the leader of a stream that was full to a caller. */
  public static final String TOLD_LATER = "streams that were full to a caller only";

  private final Map<String, String> overheard = new TreeMap<>();
  private final Prng prng;
  private final SimFiles files;
  private final SimChunkStore chunks = new SimChunkStore();
  private final SnapshotDisk snapshots =
      new SnapshotDisk(
          "leader",
          chunks,
          SnapshotDisk.RECOVERED,
          SnapshotDisk.LEFT_OUT,
          SnapshotDisk.RESTORED,
          SnapshotDisk.RESTORED_ALONE,
          SnapshotDisk.RESTORED_BESIDE);
  private final Mark collected = new Mark();
  private final Map<Long, StoredWindow> windows = new TreeMap<>();
  private Database intents = new InMemoryDatabase();
  private Lineage lineage = Lineage.FIRST;
  private Term term = Term.FIRST;
  private @Nullable StandbyFile mark;
  private boolean wasStandby;
  private List<HeldRestore> restores = List.of();
  private List<byte[]> durable = new ArrayList<>();
  private @Nullable SteppedLog log;
  private int lostKeys;
  private boolean logFull;
  private boolean syncFails;
  private long watermarkedIndex;
  private long watermarks;
  private long rottenAtRest;
  private long tornPages;
  private long storedIntents;
  private long firstIndex = 1;
  private long trims;

  /** An empty disk. */
  public LeaderDisk(Prng prng) {
    this.prng = prng;
    snapshots.expect(
        TAKEN_BESIDE,
        COLLECTION_DONE,
        COLLECTION_REMOVED,
        COLLECTION_FAILED,
        COLLECTION_CUT,
        COLLECTED_LOG,
        HELD_BACK,
        HIDDEN,
        FORGOTTEN,
        TOLD_OVER_START,
        SESSION_RESUMED,
        SESSION_TAKEN_OVER,
        SESSION_REPLACED,
        LEASE_ENDED,
        WRONG_TOKEN,
        STARTED_BEHIND,
        SAVED_IN_REPLAY,
        CAME_BACK,
        COMMITTED_BY_CALLER,
        CALLER_FOUND_OWNER,
        PUT_OFF,
        TOLD_LATER,
        SnapshotDisk.UNDONE,
        SnapshotDisk.UNDONE_BESIDE,
        SnapshotDisk.RESTORED_ALL,
        RESTORE_CUT,
        SnapshotDisk.HELD,
        SnapshotDisk.HELD_ALONE,
        SnapshotDisk.HELD_ON);
    this.files = new SimFiles(prng.split());
  }

  /** The leader's chunk store. */
  public SimChunkStore chunks() {
    return chunks;
  }

  /** Up to where chunks may have been collected; durable at once, as the product's file is. */
  public CollectionMark collected() {
    return collected;
  }

  /** Which states are held because entries restore them, as it is durably said. */
  public List<HeldRestore> restores() {
    return restores;
  }

  /** Says that durably, in one step, as the product's file is replaced. */
  public void restores(List<HeldRestore> held) {
    restores = List.copyOf(held);
  }

  /**
   * What agents had done when snapshots were taken, by their indexes; durable at once, as the
   * product's files are.
   */
  public Map<Long, StoredWindow> windows() {
    return windows;
  }

  /**
   * What agents had done when a snapshot was taken.
   *
   * @param forgottenThrough the leader that has stored it knew nothing of what was done up to there
   */
  public record StoredWindow(byte[] bytes, long forgottenThrough) {}

  /** The leader's snapshots. */
  public SnapshotDisk snapshots() {
    return snapshots;
  }

  /**
   * The leader's stored intents. Each of its writes is atomic and synced, so no crash takes
   * anything from it.
   */
  public Database intents() {
    return intents;
  }

  /** The stored intents are gone. */
  public void forgetIntents() {
    intents = new InMemoryDatabase();
  }

  /** The lineage of the state; durable at once, as the product's file is. */
  public Lineage lineage() {
    return lineage;
  }

  /** It is of another lineage from now on. */
  public void lineage(Lineage next) {
    lineage = next;
  }

  /** The term in which the state is led; durable at once, too. */
  public Term term() {
    return term;
  }

  /** It is led in another term from now on. */
  public void term(Term next) {
    term = next;
  }

  /** What makes it the disk of a standby; null if it is not, or not any more. Durable at once. */
  public @Nullable StandbyFile mark() {
    return mark;
  }

  /** Marks it, or not any more. */
  public void mark(@Nullable StandbyFile next) {
    mark = next;
    wasStandby |= next != null;
  }

  /** Whether it was the disk of a standby once: a standby stores no windows. */
  public boolean wasStandby() {
    return wasStandby;
  }

  /**
   * Begins a log behind entries that it never had, in place of another one.
   *
   * @param before those entries, the first one of all first
   */
  void begin(List<byte[]> before) throws IOException {
    files.clear();
    firstIndex = before.size() + 1L;
    durable = new ArrayList<>(before);
    SteppedLog.beginAt(files, prng::nextLong, firstIndex);
  }

  /** Sets whether appends fail with ENOSPC. */
  public void logFull(boolean nowFull) {
    logFull = nowFull;
  }

  /** Sets whether writes to the log fail with EIO. */
  public void writesFail(boolean now) {
    files.writesFail(now);
  }

  /** Sets whether the next sync of the log fails. */
  public void nextSyncFails(boolean now) {
    syncFails = now;
  }

  /**
   * Flips a bit of the log in a record that the disk itself proves to have been durable: by a later
   * record, or by a watermark that was written when the log was idle. Returns false if the leader
   * is not running or the log is damaged already.
   */
  public boolean rotLog() {
    SteppedLog now = log;
    if (now == null || files.isDamaged()) {
      return false;
    }
    try {
      List<SteppedLog.Span> proven = now.proven(watermarkedIndex);
      List<SteppedLog.Span> byWatermark = proven.subList(now.proven(0).size(), proven.size());
      if (!byWatermark.isEmpty() && prng.oneIn(2)) {
        rottenAtRest++;
        files.rot(prng.pick(byWatermark));
      } else {
        files.rot(prng.pick(proven));
      }
      return true;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Undoes all damage by {@link #rotLog} and {@link SimChunkStore#rot}, as if restored from a copy.
   */
  public void repair() {
    files.repair();
    chunks.repair();
  }

  /**
   * The entries on stable storage, entry 1 first, including those that were trimmed since. The list
   * only grows.
   */
  public List<byte[]> durableLog() {
    return durable;
  }

  /**
   * The leader process is gone. After a crash everything written is still there, except what a
   * failed sync may have dropped; after a power loss any part of what was not synced may be lost.
   */
  public void crash(boolean powerLost) {
    log = null;
    watermarkedIndex = 0;
    if (chunks.isCollecting()) {
      snapshots.count(COLLECTION_CUT);
    }
    if (powerLost) {
      tornPages += files.losePower();
      chunks.losePower(prng);
    } else {
      files.evict();
      chunks.evict(prng);
    }
  }

  /**
   * Recovers the log and begins a new segment. All entries that are kept, and their chunks, are
   * durable afterwards. Entries before the one that the listener needs are believed to be what they
   * were.
   *
   * @throws OpLogCorruptException if the log is damaged
   * @throws IOException if the disk fails
   */
  public SteppedLog open(RecoveryListener listener) throws IOException {
    List<byte[]> kept = new ArrayList<>();
    SteppedLog opened =
        SteppedLog.open(
            files,
            prng::nextLong,
            SEGMENT_BYTES,
            chunks::sync,
            new ForwardingListener(listener) {
              @Override
              public Verdict onRecord(long index, byte[] payload) {
                Verdict verdict = super.onRecord(index, payload);
                if (verdict == Verdict.KEEP) {
                  kept.add(payload);
                }
                return verdict;
              }
            });
    if (files.isDamagedBeside(opened.unread())) {
      throw new Violation("the leader has started on a damaged log");
    }
    log = opened;
    int before = (int) opened.durableIndex() - kept.size();
    kept.addAll(0, durable.subList(0, before));
    durable = kept;
    return opened;
  }

  /** Whether the log is damaged, so that no leader may start on it. */
  public boolean isLogDamaged() {
    return files.isDamaged();
  }

  /** Counts of rare events that must occur in some histories, by name. */
  public Map<String, Long> happened() {
    Map<String, Long> all = new TreeMap<>(snapshots.happened());
    all.putAll(
        Map.of(
            "watermarks of a log that rests", watermarks,
            "bits that rot in entries which nothing but a watermark proves", rottenAtRest,
            "pages of the log that a loss of power tears", tornPages,
            "intents that are stored", storedIntents,
            "trims of the log", trims));
    return all;
  }

  /** A trim has taken segments away, and the log begins with this entry now. */
  public void trimmed(long first) {
    firstIndex = first;
    trims++;
  }

  /** The first entry of the log, unless a loss of power has undone a trim. */
  public long firstIndex() {
    return firstIndex;
  }

  /** So many intents were stored. */
  public void intentsWritten(long count) {
    storedIntents += count;
  }

  boolean isLogFull() {
    return logFull;
  }

  /**
   * Completes the sync of a batch, and of the chunks that it refers to.
   *
   * @param begun the result of {@link SimChunkStore#beginSync}
   * @throws IOException if one of the two syncs fails
   */
  void sync(SteppedLog synced, List<byte[]> batch, List<Hash> begun) throws IOException {
    sync(openFile(synced));
    chunks.finish(begun);
    synced.synced();
    durable.addAll(batch);
  }

  /**
   * The first of the two steps in which a trim takes a segment away. A crash may undo it.
   *
   * @throws IOException if the disk fails
   */
  void withdraw(Path segment) throws IOException {
    files.withdraw(segment);
  }

  /** The second step: the segment is gone for good. */
  void syncWithdrawn() {
    files.syncNames();
  }

  /** The file that the last write went to, which a sync needs. */
  SimFile openFile(SteppedLog written) {
    return files.open(written.file());
  }

  /**
   * Completes the sync of a watermark. Later batches do not wait for it, so its segment may have
   * been trimmed since it was written. Hence the open file and not its name, as in the product:
   * {@code SegmentAppender} writes and syncs through a channel. If the file is gone, the sync
   * succeeds and does nothing; if its name comes back after a loss of power, so does the watermark.
   *
   * @param file the one that was the log's {@link #openFile} when the watermark was written
   * @param index the index it covers
   * @throws IOException if the sync fails
   */
  void syncWatermark(SimFile file, long index) throws IOException {
    sync(file);
    watermarkedIndex = Math.max(watermarkedIndex, index);
    watermarks++;
  }

  private void sync(SimFile file) throws IOException {
    if (syncFails) {
      syncFails = false;
      files.failSync(file);
      throw new IOException("EIO: the simulated disk cannot sync");
    }
    file.sync();
  }

  private static final class Mark implements CollectionMark {
    private long through;

    @Override
    public long through() {
      return through;
    }

    @Override
    public void raise(long index) {
      through = Math.max(through, index);
    }
  }

  /** The newest token of each worker, as one knows them who reads along. */
  public Map<String, String> overheard() {
    return overheard;
  }

  /** The key that signs the leader's resume tokens. */
  public ResumeKey resumeKey() {
    return KEYS.get(lostKeys % KEYS.size());
  }

  /** The file of that key is gone: the next leader makes another one. */
  public void loseResumeKey() {
    lostKeys++;
  }
}
