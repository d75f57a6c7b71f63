package io.hypersync.sim.disk;

import io.hypersync.model.trie.PageCache;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotCatalog;
import io.hypersync.wire.message.SeenState;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The chunk store and the snapshots of a replica, which survive its runs. */
public final class SnapshotDisk {
  /** A snapshot is in the catalog. */
  public static final String TAKEN = "snapshots";

  /** A replica has dropped a part of its state from memory. */
  public static final String DROPPED = "parts of a state that leave the memory";

  /** A replica has read a part of its state again. */
  public static final String REREAD = "parts of a state that are read again";

  /** A snapshot could not be finished. */
  public static final String FAILED = "snapshots that are given up";

  /** A snapshot was removed because there are newer ones. */
  public static final String REMOVED = "snapshots that are removed";

  /** A replica has started from a snapshot. */
  public static final String READ = "starts from a snapshot";

  /** A worker has begun with a snapshot of the leader, most of which is not here. */
  public static final String BEGUN = "starts from a snapshot that is not here yet";

  /** A worker has installed a snapshot of the leader. */
  public static final String INSTALLED = "installs of a snapshot";

  /** A worker has lost its connection, or has crashed, with a part of the pages. */
  public static final String INTERRUPTED = "installs that are interrupted";

  /** A worker that has shown a state goes on from a newer one. */
  public static final String JUMPED = "jumps to a snapshot";

  /** A worker has fetched a chunk that nobody waited for. */
  public static final String BACKFILLED = "chunks that are fetched in the background";

  /** A worker has collected. */
  public static final String CACHE_COLLECTED = "collections of a worker";

  /** A worker has removed chunks that nothing of its state needs. */
  public static final String CACHE_REMOVED = "collections of a worker that remove chunks";

  /** A worker has removed chunks of its state, because of its limit. */
  public static final String CACHE_EVICTED = "collections of a worker that remove what it shows";

  /** The leader has got a chunk back from a worker. */
  public static final String RECOVERED = "lost chunks that come back";

  /** A path was restored. */
  public static final String RESTORED = "restores";

  /** A path was restored by entries, and nobody else has written meanwhile. */
  public static final String RESTORED_ALONE = "restores that nobody else writes beside";

  /** A restore has left alone what others have changed meanwhile. */
  public static final String RESTORED_BESIDE = "restores that leave alone what others change";

  /** An undo was done by entries. */
  public static final String UNDONE = "undos";

  /** An undo has left alone what others have changed since. */
  public static final String UNDONE_BESIDE = "undos that leave something to others";

  /** Everything was restored by one entry. */
  public static final String RESTORED_ALL = "restores of everything";

  /** A chunk was made of symbols of which some were repair symbols. */
  public static final String REPAIRED = "chunks made with repair symbols";

  /** A chunk could not be made of its symbols, because one was wrong. */
  public static final String NOT_DECODED = "chunks of wrong symbols";

  /** A worker has asked for a chunk that did not come unasked. */
  public static final String ASKED = "chunks asked for because their symbols were lost";

  /** Entries have come without payloads, to the worker that has them. */
  public static final String WITHOUT_PAYLOAD = "entries without the payload that their worker has";

  /** A symbol has arrived whose connection had ended. */
  public static final String LATE = "symbols of a connection that has ended";

  /** A symbol has come again and again, and no other one meanwhile. */
  public static final String STUCK = "symbols that come again and again";

  /** A worker has taken a packet that went to all. */
  public static final String HEARD = "packets to all that are taken";

  /** A worker has refused a packet: of an older run, repeated or damaged. */
  public static final String UNHEARD = "packets to all that are refused";

  /** A worker was left out because it told of nothing. */
  public static final String LEFT_OUT = "workers that hear no packets to all any more";

  /** A state of the past was stored for a mount. */
  public static final String HELD = "states of the past that are held";

  /** A collection has found what only such a state has. */
  public static final String HELD_ALONE = "collections that keep what only a held state has";

  /** Such a state was found by a start of the leader. */
  public static final String HELD_ON = "states of the past that are held over a start";

  private final String replica;
  private final SimChunkStore chunks;
  private final SimSnapshotCatalog snapshots = new SimSnapshotCatalog();
  private final SimSnapshotCatalog past = new SimSnapshotCatalog();
  private final Map<String, Long> counts = new TreeMap<>();

  private @Nullable Snapshot handedOver;
  private SeenState seen = SeenState.NONE;

  /** Whether a page could not be read, so that the next start reads all of them. */
  private boolean isSuspect;

  /** The newest state that the worker has shown; {@link SeenState#NONE} unless it was stored. */
  public SeenState seen() {
    return seen;
  }

  /** Stores that. */
  public void seen(SeenState newest) {
    seen = newest;
  }

  /** The next run of the replica is to begin with this snapshot; null for one of the catalog. */
  public void handOver(@Nullable Snapshot snapshot) {
    handedOver = snapshot;
  }

  /** What a run has handed over to this one; null for nothing. */
  public @Nullable Snapshot takeHandedOver() {
    Snapshot taken = handedOver;
    handedOver = null;
    return taken;
  }

  /** A page cannot be read: the next start reads all of them. */
  public void suspect() {
    isSuspect = true;
  }

  /** Whether a start reads all pages of its snapshot. */
  public boolean isSuspect() {
    return isSuspect;
  }

  /** All pages were read. */
  public void trusted() {
    isSuspect = false;
  }

  /**
   * An empty disk.
   *
   * @param replica whose, in the names of what happened
   * @param also what is counted besides that which happens to all replicas
   */
  public SnapshotDisk(String replica, SimChunkStore chunks, String... also) {
    this.replica = replica;
    this.chunks = chunks;
    for (String what : List.of(TAKEN, FAILED, REMOVED, READ, DROPPED, REREAD)) {
      counts.put(named(what), 0L);
    }
    for (String what : also) {
      counts.put(named(what), 0L);
    }
  }

  /** Names more events that must occur in some histories. */
  void expect(String... more) {
    for (String what : more) {
      counts.put(named(what), 0L);
    }
  }

  /** The chunk store. */
  public SimChunkStore chunks() {
    return chunks;
  }

  /** The snapshots. */
  public SnapshotCatalog snapshots() {
    return snapshots;
  }

  /** The states of the past that are held for mounts. */
  public SnapshotCatalog past() {
    return past;
  }

  /** Those states, the oldest first. */
  public List<Snapshot> knownPast() {
    return past.list();
  }

  /** What the catalog has, the oldest first. */
  public List<Snapshot> known() {
    return snapshots.list();
  }

  /** Counts a rare event that must occur in some histories. */
  public void count(String what) {
    counts.merge(named(what), 1L, Long::sum);
  }

  /** Counts what has happened to the memory of a state; once for each run of a replica. */
  public void count(PageCache cache) {
    if (cache.drops() > 0) {
      counts.merge(named(DROPPED), cache.drops(), Long::sum);
      counts.merge(named(REREAD), cache.reads(), Long::sum);
    }
  }

  private String named(String what) {
    return replica + ": " + what;
  }

  /** Counts of rare events that must occur in some histories, by name. */
  public Map<String, Long> happened() {
    return counts;
  }
}
