package io.hypersync.leader.collection;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.CollectionRun;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.port.CollectionReport.Kind;
import io.hypersync.leader.port.CollectionReport.Pin;
import io.hypersync.leader.port.CollectionRoots;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.StateChunks;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageVisitor;
import io.hypersync.model.trie.PageWalker;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.SeenHashes;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.StoredPages;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Marks everything that is alive, in steps. Whatever cannot be read ends it with an exception that
 * says what: a live set that came short would have living chunks removed.
 *
 * <p>The order is the state, what intents rely on, the log, and the snapshots from the newest to
 * the oldest. It makes no difference to what is marked. A chunk counts for whom it is marked first.
 * So what counts for a snapshot is what would be dead without it and those that are older.
 */
final class LiveSet implements PageVisitor {
  private static final int NODES_PER_STEP = 2_000;
  private static final int PAGES_PER_STEP = 16;
  private static final int LOG_STEP_BYTES = 1 << 20;
  private static final long PAGE_BYTES = 8 << 10;

  private final CollectionRun run;
  private final CollectionRoots roots;
  private final OpLog log;
  private final ChunkStore store;
  private final WorkspaceId workspace;
  private final RateLimit limit;
  private final SeenHashes pages;
  private final PageWalker walker;
  private final Deque<Snapshot> rest = new ArrayDeque<>();
  private final List<Pin> pins = new ArrayList<>();
  private long nextEntry;
  private long entriesRead;
  private boolean promisedDone;
  private boolean logDone;

  /** Which snapshot is walked over; null before the first one. */
  private @Nullable Snapshot current;

  /** What counts for it so far, in bytes. */
  private long bytes;

  /**
   * Marks what these roots lead to; nothing yet.
   *
   * @param maxPages how many pages are remembered as read
   */
  LiveSet(
      CollectionRun run,
      CollectionRoots roots,
      OpLog log,
      ChunkStore store,
      WorkspaceId workspace,
      int maxPages,
      RateLimit limit) {
    this.run = run;
    this.roots = roots;
    this.log = log;
    this.store = store;
    this.workspace = workspace;
    this.limit = limit;
    this.pages = new SeenHashes(maxPages);
    StoredPages source = new StoredPages(store, RateLimit.NONE);
    this.walker = new PageWalker(source, this);
    roots.snapshots().forEach(rest::push);
    this.nextEntry = roots.logAfter() + 1;
  }

  /**
   * Marks some more: nodes of the head, then what intents rely on, entries, and pages.
   *
   * @return whether there is more
   * @throws IOException if something cannot be read
   * @throws ChunkStoreException if the chunk store fails
   */
  boolean step() throws IOException {
    if (roots.head().hasNext()) {
      head();
    } else if (!promisedDone) {
      roots.promised().forEach(this::chunk);
      promisedDone = true;
      counted(new Pin(Kind.UPLOADS, 0, "", 0, bytes));
    } else if (nextEntry <= roots.headIndex()) {
      readEntries();
    } else if (!logDone) {
      logDone = true;
      counted(new Pin(Kind.LOG, roots.logAfter(), "", 0, bytes));
    } else {
      return pages();
    }
    return true;
  }

  private void counted(Pin pin) {
    pins.add(pin);
    bytes = 0;
  }

  /**
   * The iterator holds what is left of the state, and nothing of it when it has come to its end.
   */
  private void head() {
    for (int i = 0; i < NODES_PER_STEP && roots.head().hasNext(); i++) {
      StateChunks.forEach(roots.head().next(), run::mark);
    }
  }

  /** Reads some entries. Those that are not durable yet are waited for: they will be read again. */
  private void readEntries() throws IOException {
    limit.spend(LOG_STEP_BYTES);
    if (nextEntry > log.durableIndex()) {
      return; // after a pause
    }
    List<byte[]> read = new ArrayList<>();
    int count;
    try {
      count = log.read(nextEntry, LOG_STEP_BYTES, (_, payload) -> read.add(payload));
    } catch (IndexOutOfBoundsException trimmed) {
      throw new IOException("entry " + nextEntry + " was removed from the log", trimmed);
    }
    if (count == 0) {
      throw new IOException("entry " + nextEntry + " of the log cannot be read");
    }
    for (byte[] encoded : read) {
      entry(encoded);
    }
  }

  private void entry(byte[] encoded) throws IOException {
    LogEntry entry;
    try {
      entry = LogEntryCodec.decode(encoded);
    } catch (DecodeException e) {
      throw new IOException(
          "entry " + nextEntry + " of the log cannot be read: " + e.getMessage(), e);
    }
    if (entry.index() != nextEntry) {
      throw new IOException("entry " + nextEntry + " of the log says that it is " + entry.index());
    }
    for (ChunkRef ref : entry.op().chunks()) {
      if (ref.length() > 0 && run.mark(ref.hash())) {
        bytes += ref.length();
      }
    }
    entriesRead++;
    nextEntry++;
  }

  private boolean pages() throws IOException {
    limit.spend(PAGES_PER_STEP * PAGE_BYTES);
    try {
      for (int i = 0; i < PAGES_PER_STEP; i++) {
        if (!walker.step() && !nextSnapshot()) {
          return false;
        }
      }
    } catch (DecodeException | PageMissingException e) {
      Snapshot unreadable = current;
      long index = unreadable == null ? 0 : unreadable.index();
      throw new IOException(
          "the snapshot of entry "
              + index
              + " cannot be read: "
              + e.getMessage()
              + ". A worker may have it: ./hypersync scrub --run. If not, and nobody needs the"
              + " snapshot, remove it: ./hypersync snapshot rm "
              + index
              + ". If it is the newest, restart the leader, which writes such pages again",
          e);
    }
    return true;
  }

  private boolean nextSnapshot() throws DecodeException {
    Snapshot walked = current;
    if (walked != null) {
      counted(new Pin(Kind.SNAPSHOT, walked.index(), walked.name(), walked.takenNs(), bytes));
    }
    if (rest.isEmpty()) {
      return false;
    }
    current = rest.pop();
    Manifest.walk(current.manifest(), workspace, walker);
    return true;
  }

  /**
   * A page is read whenever this walk has not come to it before, whether it is marked or not: one
   * that somebody has stored meanwhile is marked, and what it leads to need not be.
   */
  @Override
  public boolean page(Hash page) {
    chunk(page);
    return pages.add(page);
  }

  @Override
  public void chunk(Hash chunk) {
    if (run.mark(chunk)) {
      bytes += Math.max(0, store.length(chunk));
    }
  }

  /** What keeps chunks that the state does not have, once all is marked. */
  List<Pin> pins() {
    return pins;
  }

  /** How many pages of snapshots were read. */
  long pagesRead() {
    return pages.count();
  }

  /** How many entries were read. */
  long entriesRead() {
    return entriesRead;
  }
}
