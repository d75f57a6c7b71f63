package io.hypersync.leader.recovery;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.oplog.RecoveryListener;
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
import io.hypersync.model.state.StateWeight;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replays the log at start: compares roots with those that were logged, restores the small chunks
 * that only the log is sure to hold, and finds where the chunks of an unacknowledged tail are
 * missing (design 6). Roots are compared once for a run of entries, which costs a fraction of every
 * one of them, and names the first that differs all the same ({@link RootCheck}).
 */
public final class LogReplay implements RecoveryListener {
  private static final Logger LOG = LoggerFactory.getLogger(LogReplay.class);
  private static final int PROGRESS_EVERY = 10_000;

  /** For a leader that starts: long enough that comparing takes little. */
  public static final int LONG_RUNS = 4_096;

  /**
   * For who passes roots on: every one is compared, before {@link #onRecord} returns if roots are
   * computed on the same thread.
   */
  public static final int EVERY_ENTRY = 1;

  /**
   * A run ends early when its ops have so many chunks, for they stay in memory until its last root
   * is known: some megabytes, of this run and of the one before.
   */
  static final int MAX_RUN_CHUNKS = 16_384;

  private final ChunkStore chunks;
  private final int runEntries;
  private final LongConsumer progress;
  private final long maxStateBytes;
  private final IntentIndex intents;
  private FsState state = FsState.genesis();
  private final RootCheck roots;
  private Hash root = state.root();
  private int runChunks;
  private long weight = StateWeight.of(state);
  private long index;
  private long lastTimeNs;

  /**
   * Starts from the empty filesystem.
   *
   * @param runEntries at most so many entries are compared by one root, the last
   * @param hashing computes the roots, beside the replay if it has a thread of its own
   * @param maxStateBytes a state that becomes heavier is refused with {@link
   *     StateTooLargeException}: a heap that is full would end the process without a word
   * @param progress told the index now and then
   */
  public LogReplay(
      ChunkStore chunks,
      IntentIndex intents,
      int runEntries,
      RootHashing hashing,
      long maxStateBytes,
      LongConsumer progress) {
    this.maxStateBytes = maxStateBytes;
    this.roots = new RootCheck(state, hashing);
    this.runEntries = runEntries;
    this.chunks = chunks;
    this.intents = intents;
    this.progress = progress;
  }

  /**
   * Takes the next entry.
   *
   * @throws ReplayException if the entry, or one before it of which that was not known yet, is
   *     whole and yet not what this leader would have written: starting would serve a state that
   *     nobody acknowledged
   * @throws StateTooLargeException if the state is too heavy for this heap
   */
  @Override
  public Verdict onRecord(long recordIndex, byte[] payload) {
    LogEntry entry;
    try {
      entry = LogEntryCodec.decode(payload);
    } catch (DecodeException e) {
      throw refused(recordIndex, String.valueOf(e.getMessage()));
    }
    if (entry.index() != recordIndex) {
      throw refused(recordIndex, "it says that it is entry " + entry.index());
    }
    if (!restoreChunks(entry)) {
      refuse(roots.settle(state));
      return Verdict.CUT;
    }
    Stamp stamp = new Stamp(entry.committedAtNs(), entry.createdNode());
    switch (FsStateMachine.apply(state, entry.op(), stamp)) {
      case Outcome.Failed(var errno) -> throw refused(recordIndex, "its op fails with " + errno);
      case Outcome.Applied(FsState next) -> {
        weight += StateWeight.change(entry.op(), entry.createdNode(), state, next);
        if (weight > maxStateBytes) {
          throw new StateTooLargeException(recordIndex, weight, maxStateBytes);
        }
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
    index = recordIndex;
    lastTimeNs = entry.committedAtNs();
    intents.add(entry.intent(), entry.origin(), index, lastTimeNs);
    if (index % PROGRESS_EVERY == 0) {
      progress.accept(index);
    }
    return Verdict.KEEP;
  }

  /**
   * Compares what is left.
   *
   * @throws ReplayException as {@link #onRecord}
   */
  @Override
  public void ended() {
    refuse(roots.settle(state));
  }

  /**
   * What the entries amount to.
   *
   * @throws IllegalStateException if it has not {@link #ended}
   */
  public LeaderState result() {
    if (!roots.isSettled()) {
      throw new IllegalStateException("the last roots were not compared");
    }
    return new LeaderState(state, root, index, lastTimeNs, intents, weight);
  }

  /**
   * How many extents an op has made in the state behind it, about: a copy brings no chunks, and
   * makes as many extents; the states of a run share none of them.
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

  /** The entry cannot be replayed; but an earlier one is named, if it differs. */
  private ReplayException refused(long recordIndex, String what) {
    refuse(roots.settle(state));
    return new ReplayException(recordIndex, what);
  }

  /** A full disk is no reason not to lead: these bytes are in the log, and sent from there. */
  private void restore(List<Chunk> inline) {
    try {
      chunks.putAll(inline);
    } catch (ChunkStoreException e) {
      if (e.errno() != Errno.ENOSPC) {
        throw e;
      }
      LOG.warn("small chunks stay in the log only: {}", e.getMessage());
    }
  }

  /** Whether a chunk whose bytes the log has too can be read, and is what it was. */
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

  /** Whether every chunk of the entry is in the store now. */
  private boolean restoreChunks(LogEntry entry) {
    List<Chunk> inline = new ArrayList<>();
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
        return false;
      }
      byte[] bytes = Arrays.copyOfRange(entry.inlinePayload(), at, at + chunk.length());
      inline.add(new Chunk(chunk.hash(), bytes));
      at += chunk.length();
    }
    if (!inline.isEmpty()) {
      restore(inline);
    }
    return true;
  }
}
