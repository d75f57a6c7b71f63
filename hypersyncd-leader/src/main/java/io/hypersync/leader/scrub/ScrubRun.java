package io.hypersync.leader.scrub;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.scrub.ScrubReport.Kind;
import io.hypersync.leader.scrub.ScrubReport.Lost;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.StateChunks;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.model.trie.PageVisitor;
import io.hypersync.model.trie.PageWalker;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.SeenHashes;
import io.hypersync.snapshot.Snapshot;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One scrub: reads every page of every snapshot, and every chunk that these lead to, in steps. The
 * newest snapshot is the newest state, so that is read, too.
 *
 * <pre>
 *   read --good--&gt; done
 *     |
 *     +--missing or damaged--&gt; workers are asked --a second later: read again--+--good--&gt; mended
 *                                ^                                            |
 *                                +------- still bad, and not given up --------+--hopeless, or
 *                                                                                more than 40 s--&gt; lost
 * </pre>
 *
 * <p>The walk goes on beside a page that is bad. When it is mended, it is walked, too. If one of
 * the newest state is lost, the state in memory is walked, so that no chunk of it is left out. At
 * most {@value #MAX_WAITING} are looked for at a time; with so many the walk waits.
 *
 * <p>A snapshot is held while it is read, and until all that was bad in it is mended or lost: a
 * chunk that was collected meanwhile would look lost.
 *
 * <p>Bounded: what is remembered as read, what waits, and what is lost: with {@value #MAX_LOST} of
 * those the run ends, since the disk is what has to be looked at. Not thread-safe.
 */
public final class ScrubRun {
  /** How many chunks and pages are looked for at a time. */
  static final int MAX_WAITING = 128;

  /** With so many lost the run ends. */
  static final int MAX_LOST = 16_384;

  /** How many of those that are lost a report names. */
  static final int MAX_NAMED = 100;

  /** Time until a bad one is read again. */
  static final long LOOK_NS = 1_000_000_000L;

  /** After a start workers may not be back yet, and a worker may owe a copy for half a minute. */
  static final long LONGEST_WAIT_NS = 40_000_000_000L;

  private static final int NODES_PER_STEP = 100;

  /** What a read counts for at least: a seek costs something, too. */
  private static final long LEAST_READ_BYTES = 4 << 10;

  private final ScrubPort port;
  private final WorkspaceId workspace;
  private final RateLimit limit;
  private final SeenHashes seenPages;
  private final SeenHashes seenChunks;
  private final Visitor visitor = new Visitor();
  private final PageWalker walker = new PageWalker(this::page, visitor);

  /** Snapshots that are still to be read, the newest first. */
  private final Deque<Snapshot> rest;

  private final long headIndex;
  private final int ofSnapshots;

  /** Chunks of the page that was read last, which are read before the next page. */
  private final Deque<Hash> chunks = new ArrayDeque<>();

  /** In the order in which they are looked at next. */
  private final Deque<Waiting> waiting = new ArrayDeque<>();

  /** The same, for lookups. */
  private final Set<Item> waitedFor = new HashSet<>();

  /** What is lost, with the newest snapshot that needs it. */
  private final Map<Item, Long> lost = new HashMap<>();

  /** The first of them. */
  private final List<Lost> named = new ArrayList<>();

  private @Nullable Snapshot current;

  /** Nodes of the newest state that are still to be looked at; null if its pages say it all. */
  private @Nullable Iterator<Node> head;

  /** The page that was read last. */
  private Hash lastPage = Hash.ZERO;

  private int snapshots;
  private long chunkCount;
  private long pageCount;
  private long bytes;
  private long bad;
  private long mended;
  private boolean isHeadAsked;
  private boolean isDone;
  private boolean isComplete;

  /** A page and a chunk may be the same bytes, and lead to different things. */
  private record Item(Kind kind, Hash hash) {}

  /**
   * Something bad that is being looked for.
   *
   * @param page for a page, what {@link PageWalker#resume} needs
   * @param firstNs when it was first found to be bad
   * @param nextNs when it is read again
   */
  private record Waiting(Item item, PageWalker.@Nullable Skipped page, long firstNs, long nextNs) {}

  /** Collects what the walker comes to. */
  private final class Visitor implements PageVisitor, Consumer<Hash> {
    @Override
    public boolean page(Hash page) {
      Item item = new Item(Kind.PAGE, page);
      boolean isNew = isUnknown(item) && seenPages.add(page);
      pageCount += isNew ? 1 : 0;
      return isNew;
    }

    @Override
    public void chunk(Hash chunk) {
      if (isUnknown(new Item(Kind.CHUNK, chunk)) && seenChunks.add(chunk)) {
        chunkCount++;
        chunks.add(chunk);
      }
    }

    @Override
    public void accept(Hash chunk) {
      chunk(chunk);
    }
  }

  /** {@link SeenHashes} may have forgotten what is bad; that must count once all the same. */
  private boolean isUnknown(Item item) {
    return !lost.containsKey(item) && !waitedFor.contains(item);
  }

  /**
   * A run that has read nothing yet.
   *
   * @param snapshots all there are, the oldest first; the newest one has the newest state
   * @param mostPages how many pages are remembered as read, at least 1
   * @param mostChunks how many chunks are
   * @param limit asked for the bytes of each read
   */
  public ScrubRun(
      ScrubPort port,
      List<Snapshot> snapshots,
      WorkspaceId workspace,
      int mostPages,
      int mostChunks,
      RateLimit limit) {
    this.port = port;
    this.workspace = workspace;
    this.limit = limit;
    this.seenPages = new SeenHashes(mostPages);
    this.seenChunks = new SeenHashes(mostChunks);
    this.rest = new ArrayDeque<>(snapshots.reversed());
    this.headIndex = snapshots.isEmpty() ? 0 : snapshots.getLast().index();
    this.ofSnapshots = snapshots.size();
  }

  /**
   * Reads a chunk or a page, or looks again at one that was bad.
   *
   * @param nowNs monotonic
   * @return for how many nanoseconds there is nothing to do; 0 if there is something now
   * @throws ChunkStoreException if the store cannot tell what it has
   */
  public long step(long nowNs) {
    Waiting due = waiting.peekFirst();
    if (due != null && nowNs - due.nextNs >= 0) {
      lookAgain(waiting.removeFirst(), nowNs);
    } else if (waiting.size() < MAX_WAITING && readNext(nowNs)) {
      return 0;
    } else if (due != null) {
      return due.nextNs - nowNs;
    } else {
      nextSnapshot();
    }
    return 0;
  }

  /** Whether there is nothing to do any more. */
  public boolean isDone() {
    return isDone;
  }

  /** Lets go of what is held; the run is over. */
  public void end() {
    Snapshot held = current;
    current = null;
    head = null;
    isDone = true;
    if (held != null) {
      port.release(held.index());
    }
  }

  /** What was found so far. */
  public ScrubReport report() {
    return new ScrubReport(
        headIndex,
        snapshots,
        ofSnapshots,
        chunkCount,
        pageCount,
        bytes,
        bad,
        mended,
        lost.size(),
        waiting.size(),
        List.copyOf(named),
        isComplete);
  }

  /** The chunks that are lost. */
  public Set<Hash> lostChunks() {
    Set<Hash> hashes = new HashSet<>();
    for (Item item : lost.keySet()) {
      if (item.kind == Kind.CHUNK) {
        hashes.add(item.hash);
      }
    }
    return hashes;
  }

  private boolean readNext(long nowNs) {
    Hash chunk = chunks.poll();
    if (chunk != null) {
      if (!isGood(chunk)) {
        found(new Waiting(new Item(Kind.CHUNK, chunk), null, nowNs, nowNs), nowNs);
      }
      return true;
    }
    try {
      return walker.step() || nextNodes();
    } catch (PageMissingException e) {
      found(new Waiting(new Item(Kind.PAGE, e.page()), walker.skip(), nowNs, nowNs), nowNs);
    } catch (DecodeException e) { // its hash is right, so no other copy of it is better
      bad++;
      giveUp(new Item(Kind.PAGE, lastPage));
    }
    return true;
  }

  /** Comes to the chunks of some nodes in memory; false if there are none left. */
  private boolean nextNodes() {
    Iterator<Node> nodes = head;
    if (nodes == null) {
      return false;
    }
    try {
      for (int i = 0; i < NODES_PER_STEP && nodes.hasNext(); i++) {
        StateChunks.forEach(nodes.next(), visitor);
      }
    } catch (PageUnreadableException e) { // not in memory either: it counts as lost already
      head = null;
      return true;
    }
    if (!nodes.hasNext()) {
      head = null;
    }
    return true;
  }

  /** For the walker. */
  private byte[] page(Hash page) throws PageMissingException {
    lastPage = page;
    byte[] found = read(page);
    if (found == null) {
      throw new PageMissingException(page, "is missing or damaged");
    }
    return found;
  }

  private boolean isGood(Hash hash) {
    return read(hash) != null;
  }

  private byte @Nullable [] read(Hash hash) {
    byte @Nullable [] found = null;
    int length = 0;
    try {
      found = port.read(hash);
      length = found == null ? 0 : found.length;
    } catch (ChunkStoreException e) {
      if (e.errno() != Errno.EIO) {
        throw e;
      }
      length = ChunkRef.MAX_LENGTH; // it had some length
    }
    bytes += length;
    limit.spend(Math.max(LEAST_READ_BYTES, length));
    return found;
  }

  private boolean hasLostPage() {
    return lost.keySet().stream().anyMatch(item -> item.kind == Kind.PAGE);
  }

  private void found(Waiting one, long nowNs) {
    bad++;
    waitedFor.add(one.item);
    stillBad(one, nowNs);
  }

  private void lookAgain(Waiting one, long nowNs) {
    if (!isGood(one.item.hash)) {
      stillBad(one, nowNs);
      return;
    }
    waitedFor.remove(one.item);
    mended++;
    if (one.page != null) {
      walker.resume(one.page);
    }
  }

  /** It is told at each look: those who mend may have given up, for lack of room or of answers. */
  private void stillBad(Waiting one, long nowNs) {
    if (port.lost(one.item.hash) || nowNs - one.firstNs > LONGEST_WAIT_NS) {
      waitedFor.remove(one.item);
      giveUp(one.item);
    } else {
      waiting.addLast(new Waiting(one.item, one.page, one.firstNs, nowNs + LOOK_NS));
    }
  }

  private void giveUp(Item item) {
    Snapshot needs = current;
    long index = needs == null ? headIndex : needs.index();
    if (lost.putIfAbsent(item, index) == null && named.size() < MAX_NAMED) {
      named.add(new Lost(item.kind, item.hash, index));
    }
    if (lost.size() >= MAX_LOST) {
      end();
    }
  }

  private void nextSnapshot() {
    Snapshot read = current;
    if (read != null && snapshots == 0 && !isHeadAsked && hasLostPage()) {
      isHeadAsked = true;
      head = port.head();
      return;
    }
    if (read != null) {
      current = null;
      snapshots++;
      port.release(read.index());
    }
    Snapshot next = rest.pollFirst();
    if (next == null) {
      isDone = true;
      isComplete = true;
      return;
    }
    if (!port.hold(next.index())) {
      return; // it was removed meanwhile, so nobody needs what it leads to
    }
    current = next;
    try {
      Manifest.walk(next.manifest(), workspace, walker);
    } catch (DecodeException e) { // the catalog has it with a hash, so it was written so
      bad++;
      giveUp(new Item(Kind.PAGE, next.hash()));
    }
  }
}
