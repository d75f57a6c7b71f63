package io.hypersync.leader.collection;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.CollectionRun;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.port.CollectionReport.Kind;
import io.hypersync.leader.port.CollectionReport.Pin;
import io.hypersync.leader.port.CollectionRoots;
import io.hypersync.leader.port.HeldState;
import io.hypersync.leader.port.LogKeeper;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageVisitor;
import io.hypersync.model.trie.PageWalker;
import io.hypersync.snapshot.HeldRestore;
import io.hypersync.snapshot.NeededPages;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.SeenHashes;
import io.hypersync.snapshot.Snapshot;
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
 * <p>The order is the state, what intents rely on, the log, the snapshots from the newest to the
 * oldest, the states of the past that are mounted alike, those that entries restore, what only
 * files without a name have, and older states that are in memory. It makes no difference to what is
 * marked. A chunk counts for whom it is marked first. So what counts for a snapshot is what would
 * be dead without it and those that are older.
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
  private final PageCache memory;
  private final SeenHashes pages;
  private final PageWalker walker;
  private final OpenFiles open;
  private final Deque<Root> rest = new ArrayDeque<>();
  private final List<Pin> pins = new ArrayList<>();
  private long nextEntry;
  private long entriesRead;

  /** When the oldest entry that is kept was committed; 0 if none is. */
  private long logSinceNs;

  private boolean headDone;
  private boolean promisedDone;
  private boolean logDone;
  private boolean openDone;

  /** Which one is walked over; null before the first one. */
  private @Nullable Root current;

  /**
   * A state that is stored.
   *
   * @param kind SNAPSHOT, MOUNTED or RESTORE
   * @param index by which it is known: of the state, or of the entry that restores it
   */
  private record Root(Kind kind, long index, String name, Snapshot snapshot) {}

  /** What counts for it so far, in bytes. */
  private long bytes;

  /** Asked for when all snapshots are marked. */
  private final NeededPages needed;

  /** Marks what these roots lead to; nothing yet. */
  LiveSet(CollectionRun run, CollectionRoots roots, CollectionTask.Environment at) {
    this.memory = at.memory();
    this.needed = new NeededPages(memory::needed);
    this.run = run;
    this.roots = roots;
    this.log = at.log();
    this.store = at.chunks();
    this.workspace = at.workspace();
    this.limit = at.limit();
    this.pages = new SeenHashes(at.maxPages());
    this.walker = new PageWalker(memory.source(), this);
    this.open = new OpenFiles(memory.source(), this, OpenFiles.MOST);
    roots.head().orphansTo(ctimeNs -> open.walker(ctimeNs, walker));
    // Snapshots come first: what counts for another state is what only that keeps.
    for (HeldRestore each : roots.restores()) {
      rest.push(new Root(Kind.RESTORE, each.entry(), "", each.state()));
    }
    for (HeldState past : roots.pasts()) {
      Snapshot state = past.snapshot();
      rest.push(new Root(Kind.MOUNTED, state.index(), past.workers(), state));
    }
    for (Snapshot each : roots.snapshots()) {
      rest.push(new Root(Kind.SNAPSHOT, each.index(), each.name(), each));
    }
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
    if (!headDone) {
      head();
    } else if (!promisedDone) {
      roots.promised().forEach(this::mark);
      promisedDone = true;
      counted(new Pin(Kind.UPLOADS, 0, "", roots.notes().uploadsSinceNs(), bytes));
    } else if (nextEntry <= roots.headIndex()) {
      readEntries();
    } else if (!logDone) {
      logDone = true;
      LogKeeper keeper = roots.notes().log();
      counted(
          new Pin(Kind.LOG, roots.logAfter(), keeper.who(), logSinceNs, bytes, keeper.reason()));
    } else {
      return readPages() || nextSnapshot() || nextOpen() || nextNeeded();
    }
    return true;
  }

  private void counted(Pin pin) {
    pins.add(pin);
    bytes = 0;
  }

  /** First what is in memory only, then the pages that have the rest. */
  private void head() throws IOException {
    if (!roots.head().isDone()) {
      roots.head().step(NODES_PER_STEP, walker);
    } else if (!readPages()) {
      headDone = true;
      bytes = 0; // what the newest state has is pinned by nobody
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
    if (entriesRead == 0) {
      logSinceNs = entry.committedAtNs();
    }
    entriesRead++;
    nextEntry++;
  }

  /** Reads some pages; false if all that was walked over so far is read. */
  private boolean readPages() throws IOException {
    return reads(
        () -> {
          for (int i = 0; i < PAGES_PER_STEP; i++) {
            if (!walker.step()) {
              return false;
            }
          }
          return true;
        });
  }

  /** A step that reads some pages. */
  private interface Reading {
    boolean goesOn() throws PageMissingException, DecodeException;
  }

  private boolean reads(Reading some) throws IOException {
    limit.spend(PAGES_PER_STEP * PAGE_BYTES);
    try {
      return some.goesOn();
    } catch (PageMissingException e) {
      memory.unreadable(e);
      throw new IOException(unreadable(e), e);
    } catch (DecodeException e) {
      throw new IOException(unreadable(e), e);
    }
  }

  private String unreadable(Exception why) {
    Root root = current;
    if (root == null) {
      return (!needed.hasBegun() ? "the newest state" : "a state in memory")
          + " cannot be read: "
          + why.getMessage()
          + ". Workers are asked for the page. If none has it, restart the leader, which writes such"
          + " pages again";
    }
    Snapshot snapshot = root.snapshot();
    if (root.kind() == Kind.RESTORE) {
      return "the state that entry "
          + root.index()
          + " has restored cannot be read: "
          + why.getMessage()
          + ". Workers are asked for the page";
    }
    if (root.kind() == Kind.MOUNTED) {
      return "the state of entry "
          + snapshot.index()
          + ", which is mounted ("
          + root.name()
          + "), cannot be read: "
          + why.getMessage()
          + ". Workers are asked for the page. If none has it, unmount that state";
    }
    return "the snapshot of entry "
        + snapshot.index()
        + " cannot be read: "
        + why.getMessage()
        + ". Workers are asked for the page. If none has it, and nobody needs the snapshot, remove"
        + " it: ./hypersync snapshot rm "
        + snapshot.index()
        + ". If it is the newest, restart the leader, which writes such pages again";
  }

  private boolean nextSnapshot() throws IOException {
    Root walked = current;
    if (walked != null) {
      long sinceNs = walked.snapshot().takenNs();
      counted(new Pin(walked.kind(), walked.index(), walked.name(), sinceNs, bytes));
    }
    current = rest.poll();
    if (current == null) {
      return false;
    }
    try {
      Manifest.walk(current.snapshot().manifest(), workspace, walker);
    } catch (DecodeException e) {
      throw new IOException(unreadable(e), e);
    }
    return true;
  }

  /** What is still dead now is kept by files without a name alone, or by what is in memory. */
  private boolean nextOpen() throws IOException {
    if (openDone) {
      return false;
    }
    if (reads(() -> open.step(PAGES_PER_STEP))) {
      return true;
    }
    openDone = true;
    counted(new Pin(Kind.OPEN, 0, roots.notes().openOn(), open.oldestNs(), bytes));
    return true;
  }

  /**
   * Last of all, because what files of these pages contain is not marked: a page that a snapshot
   * has, too, must not have been passed over for that.
   */
  private boolean nextNeeded() {
    if (needed.next(walker, NODES_PER_STEP)) {
      return true;
    }
    counted(new Pin(Kind.MEMORY, 0, "", 0, bytes));
    return false;
  }

  /**
   * A page is read whenever this walk has not come to it before, whether it is marked or not: one
   * that somebody has stored meanwhile is marked, and what it leads to need not be.
   */
  @Override
  public boolean page(Hash page) {
    mark(page);
    return pages.add(page);
  }

  @Override
  public void chunk(Hash chunk) {
    if (!needed.hasBegun()) {
      mark(chunk);
    }
  }

  private void mark(Hash chunk) {
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
