package io.hypersync.leader.recovery;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.hazard.LoggedWork;
import io.hypersync.leader.hazard.TouchWindow;
import io.hypersync.leader.hazard.WindowStore;
import io.hypersync.leader.oplog.RecoveryListener;
import io.hypersync.leader.sequencer.IntentHandler;
import io.hypersync.leader.sequencer.IntentIndex;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.Extent;
import io.hypersync.model.state.FileContent;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.FsStateMachine;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.Outcome;
import io.hypersync.model.state.Stamp;
import io.hypersync.model.state.StateChunks;
import io.hypersync.model.state.StateWeight;
import io.hypersync.model.trie.DirtyMemory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replays the log at startup, or what follows a known state. Compares Merkle roots with the logged
 * ones, restores chunks of inline payloads that may be missing from the chunk store, and reports
 * where an unacknowledged tail lacks chunks so that it is cut. Roots are compared once per run of
 * entries, at a fraction of the cost of comparing each one; the first entry that differs is still
 * named ({@link RootCheck}). Single-threaded, apart from {@link RootHashing}.
 */
public final class LogReplay implements RecoveryListener {
  private static final Logger LOG = LoggerFactory.getLogger(LogReplay.class);
  private static final int PROGRESS_EVERY = 10_000;

  /** Run length for a starting leader: long enough that root comparison costs little. */
  public static final int LONG_RUNS = 4_096;

  /**
   * Run length for a caller that uses the roots themselves: each is compared, and before {@link
   * #onRecord} returns if roots are computed on the same thread.
   */
  public static final int EVERY_ENTRY = 1;

  /**
   * A run ends early at this many chunks, because its ops stay in memory until its last root is
   * known. Two runs, this one and the one before, then take a few megabytes.
   */
  static final int MAX_RUN_CHUNKS = 16_384;

  /** So many missing chunks are looked for in the state; about 100 bytes of heap each. */
  private static final int MAX_MISSING = 1 << 16;

  private final ReplayStart start;
  private final ChunkStore chunks;
  private final int runEntries;
  private final LongConsumer progress;
  private final long maxStateBytes;
  private final IntentIndex intents;
  private ReplaySaver saver = ReplaySaver.NONE;
  private LoggedWork work = new LoggedWork(IntentHandler.LEADER, new TouchWindow());
  private WindowStore windows = WindowStore.NONE;
  private FsState state;
  private final RootCheck roots;
  private Hash root;
  private int runChunks;
  private final DirtyMemory memory;
  private long weight;

  /** The first chunks that were not there, of entries up to {@code collectedThrough}. */
  private final Set<Hash> missing = new HashSet<>();

  private long index;
  private long lastTimeNs;

  /** Whether chunks of inline payloads are in the log only, which must not be forgotten then. */
  private boolean lacksRoom;

  /**
   * Prepares a replay.
   *
   * @param start with which state it begins; entries that this state has are not applied, and their
   *     chunks are not looked at
   * @param chunks receives chunks of inline payloads that are missing or damaged there
   * @param intents receives every replayed intent, and writes to its store what does not fit memory
   * @param runEntries the most entries that are covered by one root comparison, at the last of them
   * @param hashing computes the roots, concurrently with the replay if it has a thread of its own
   * @param maxStateBytes if more of the state cannot be dropped from memory the replay fails with
   *     {@link StateTooLargeException}: an exhausted heap would end the process without an
   *     explanation
   * @param progress receives the index now and then
   */
  public LogReplay(
      ReplayStart start,
      ChunkStore chunks,
      IntentIndex intents,
      int runEntries,
      RootHashing hashing,
      long maxStateBytes,
      LongConsumer progress) {
    this.start = start;
    this.state = start.state();
    this.root = state.root();
    this.weight = start.weight();
    this.memory = start.memory();
    memory.begins(weight);
    this.intents = intents;
    this.index = Math.min(start.index(), intents.through());
    this.lastTimeNs = start.lastTimeNs();
    this.maxStateBytes = maxStateBytes;
    this.roots = new RootCheck(state, hashing, start.restored());
    this.runEntries = runEntries;
    this.chunks = chunks;
    this.progress = progress;
  }

  /** Has states that are reached stored, so that a start which is cut short goes on from there. */
  public void saveTo(ReplaySaver states) {
    saver = states;
  }

  /**
   * Goes on with what agents had done lately.
   *
   * @param known as it was behind the last entry of the state that the replay begins with
   * @param store what is known is stored there with each state
   */
  public void follow(TouchWindow known, WindowStore store) {
    work = new LoggedWork(IntentHandler.LEADER, known);
    windows = store;
  }

  /** The last entry of the state that the replay begins with; 0 for the empty filesystem. */
  public long begin() {
    return start.index();
  }

  /**
   * The state and the stored intents have all entries before this one. It is also the last entry of
   * the snapshot, or the last of the stored intents, if the log still has that: so a log which is
   * not the one they come from is refused.
   *
   * @throws ReplayException if the log begins behind the entry that follows the snapshot
   * @throws IntentStoreException if it begins behind the entry that follows the stored intents
   */
  @Override
  public long firstNeeded(long first) {
    if (first > start.index() + 1) {
      throw new ReplayException(
          first,
          "the log begins with it, and there is no readable snapshot of the entry before it or of"
              + " a later one");
    }
    intents.requireCovered(first);
    long needed = Math.max(first, Math.min(start.index(), intents.through()));
    index = needed - 1;
    return needed;
  }

  /**
   * Applies the next entry.
   *
   * @return {@code CUT} if chunks of the entry are missing and cannot have been collected, else
   *     {@code KEEP}
   * @throws ReplayException if the entry, or an earlier one whose root has only now been compared,
   *     is intact but not what this leader would have written: starting would serve a state that
   *     nobody acknowledged
   * @throws StateTooLargeException if the state is too heavy for this heap
   * @throws io.hypersync.model.trie.PageUnreadableException if a page of the state, or of one that
   *     the entry restores, cannot be read
   */
  @Override
  public Verdict onRecord(long recordIndex, byte[] payload) {
    if (recordIndex != index + 1) {
      throw refused(recordIndex, "it does not follow entry " + index + ", which was replayed");
    }
    LogEntry entry;
    try {
      entry = LogEntryCodec.decode(payload);
    } catch (DecodeException e) {
      throw refused(recordIndex, String.valueOf(e.getMessage()));
    }
    if (entry.index() != recordIndex) {
      throw refused(recordIndex, "it says that it is entry " + entry.index());
    }
    if (recordIndex <= start.index()) {
      skip(entry);
      return Verdict.KEEP;
    }
    // What a collection may have taken is no sign of a torn end: the entry was durable with all its
    // chunks once, and is never cut off. Whether one is needed all the same is known when the state
    // is (lostChunks).
    if (!restoreChunks(entry) && recordIndex > start.collectedThrough()) {
      refuse(roots.finish(state));
      return Verdict.CUT;
    }
    Stamp stamp = new Stamp(entry.committedAtNs(), entry.createdNode());
    switch (applied(entry, stamp)) {
      case Outcome.Failed(var errno) -> throw refused(recordIndex, "its op fails with " + errno);
      case Outcome.Applied(FsState next) -> {
        StateWeight.Step step =
            StateWeight.step(weight, entry.op(), entry.createdNode(), state, next);
        weight = step.weight();
        memory.adopted(memory.growth(step.change(), step.fresh()));
        if (memory.bytes() > maxStateBytes) {
          throw new StateTooLargeException(recordIndex, memory.bytes(), maxStateBytes);
        }
        work.replayed(entry, state, next);
        state = next;
        root = entry.root();
        roots.add(recordIndex, entry.op(), stamp, root);
      }
    }
    runChunks += extents(state, entry.op());
    if (roots.size() >= runEntries || runChunks >= MAX_RUN_CHUNKS) {
      runChunks = 0;
      refuse(roots.endRun(state));
    }
    lastTimeNs = entry.committedAtNs();
    remember(entry);
    if (index % PROGRESS_EVERY == 0) {
      progress.accept(index);
    }
    return Verdict.KEEP;
  }

  /**
   * Stores the state now and then. Only behind a full segment: an entry of the last one may not be
   * durable, and a snapshot of it would say that it is. And only behind what was collected: an
   * earlier state has content that a later one has not, and that may be gone.
   */
  @Override
  public void sealed(long last) {
    boolean isNew = index == last && last > start.index();
    boolean isWhole = last >= start.collectedThrough() && !lacksRoom;
    if (!isNew || !isWhole || !saver.isDue(last)) {
      return;
    }
    runChunks = 0;
    refuse(roots.finish(state));
    try {
      windows.write(work.window().image(last, root));
    } catch (IOException e) {
      LOG.warn("what agents did before entry {} is not stored: {}", last, e.getMessage());
      return;
    }
    saver.save(state, last, lastTimeNs, weight);
  }

  private Outcome applied(LogEntry entry, Stamp stamp) {
    return memory.counting(() -> FsStateMachine.apply(state, entry.op(), stamp, start.restored()));
  }

  /** Passes over an entry that the state has from the beginning. */
  private void skip(LogEntry entry) {
    remember(entry);
    if (index == start.index() && !entry.root().equals(root)) {
      throw new ReplayException(
          index, "the snapshot of it has root " + root + ", and the log says " + entry.root());
    }
  }

  private void remember(LogEntry entry) {
    index = entry.index();
    intents.add(entry);
    if (intents.isDue(index)) {
      intents.persist(index);
    }
  }

  /**
   * Compares the roots that are left, and forgets stored intents of entries behind the log's end.
   *
   * @throws ReplayException as {@link #onRecord}, and if the log ends before an entry of which
   *     there is a snapshot, or up to which chunks were collected: what was durable then is missing
   */
  @Override
  public void ended() {
    if (index < start.durable()) {
      throw new ReplayException(
          index,
          "it is the last one of the log, but there is a snapshot of entry " + start.durable());
    }
    if (index < start.collectedThrough()) {
      throw new ReplayException(
          index,
          "it is the last one of the log, but chunks of entries up to "
              + start.collectedThrough()
              + " were collected");
    }
    refuse(roots.finish(state));
    intents.logEnds(index);
  }

  /**
   * The replayed state.
   *
   * @throws IllegalStateException before {@link #ended}
   */
  public LeaderState result() {
    if (!roots.isFinished()) {
      throw new IllegalStateException("the last roots were not compared");
    }
    return new LeaderState(
        state, root, index, lastTimeNs, intents, weight, memory, start.restored(), work.window());
  }

  /**
   * How many of the chunks that entries up to {@code collectedThrough} mention, and which are not
   * here, the replayed state has. A collection takes none that the state needs; but a chunk may be
   * lost in another way, and then the entry does not tell. Of entries that the start has nothing is
   * known.
   */
  public long lostChunks() {
    if (missing.isEmpty()) {
      return 0;
    }
    Set<Hash> needed = new HashSet<>();
    for (Node node : state.nodes()) {
      StateChunks.forEach(
          node,
          chunk -> {
            if (missing.contains(chunk)) {
              var _ = needed.add(chunk);
            }
          });
    }
    return needed.size();
  }

  /**
   * About how many extents an op has made in {@code state}, the state after it. A copy has no
   * chunks of its own but makes that many extents, which the states of a run do not share.
   */
  static int extents(FsState state, FsOp op) {
    if (!(op instanceof FsOp.CopyRange copy)) {
      return op.chunks().size();
    }
    Node target = state.node(copy.target());
    if (target == null || !(target.content() instanceof FileContent content)) {
      return 0;
    }
    long end = copy.targetOffset() + copy.length();
    int count = 0;
    for (Iterator<Extent> extents = content.from(copy.targetOffset());
        extents.hasNext() && count < MAX_RUN_CHUNKS && extents.next().offset() < end; ) {
      count++;
    }
    return count;
  }

  private static void refuse(RootCheck.@Nullable Mismatch mismatch) {
    if (mismatch != null) {
      throw new ReplayException(mismatch.index(), mismatch.toString());
    }
  }

  /**
   * For an entry that cannot be replayed; an earlier entry is reported instead if its root differs.
   */
  private ReplayException refused(long recordIndex, String what) {
    refuse(roots.finish(state));
    return new ReplayException(recordIndex, what);
  }

  /**
   * Stores the chunks if the disk has room. A full disk does not keep the leader from starting: the
   * bytes are in the log, workers get them inside the entry, and the next start tries to restore
   * them again.
   */
  private void restore(List<Chunk> inline) {
    try {
      chunks.putAll(inline);
    } catch (ChunkStoreException e) {
      if (e.errno() != Errno.ENOSPC) {
        throw e;
      }
      lacksRoom = true;
      LOG.warn("chunks of inline payloads stay in the log only: {}", e.getMessage());
    }
  }

  /** Whether the stored copy of a chunk that the log carries too can be read and is undamaged. */
  private boolean hasRightBytes(ChunkRef chunk, byte[] payload, int at) {
    try {
      byte[] stored = chunks.get(chunk.hash());
      if (stored == null
          || Arrays.equals(stored, 0, stored.length, payload, at, at + chunk.length())) {
        return stored != null;
      }
      LOG.warn("chunk {} was damaged and is restored from the log", chunk.hash());
    } catch (ChunkStoreException e) {
      LOG.warn("a chunk is restored from the log: {}", e.getMessage());
    }
    return false;
  }

  /**
   * Restores the chunks of the entry's inline payload as needed; false if another chunk is not in
   * the store.
   */
  private boolean restoreChunks(LogEntry entry) {
    List<Chunk> inline = new ArrayList<>();
    boolean isWhole = true;
    int at = 0;
    for (ChunkRef chunk : entry.op().chunks()) {
      boolean isInline = entry.inlinePayload().length >= at + chunk.length();
      if (chunk.length() == 0
          || (isInline
              ? hasRightBytes(chunk, entry.inlinePayload(), at)
              : chunks.contains(chunk.hash()))) {
        at += chunk.length();
        continue;
      }
      if (!isInline) {
        if (missing.size() < MAX_MISSING) {
          var _ = missing.add(chunk.hash());
        }
        isWhole = false;
        at += chunk.length();
        continue;
      }
      byte[] bytes = Arrays.copyOfRange(entry.inlinePayload(), at, at + chunk.length());
      inline.add(new Chunk(chunk.hash(), bytes));
      at += chunk.length();
    }
    if (!inline.isEmpty()) {
      restore(inline);
    }
    return isWhole;
  }
}
