package io.hypersync.cli.trace;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.cli.trace.TraceReport.Mismatch;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.trie.DirtyMemory;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.wire.message.WorkerMessage.ApplyError;
import io.hypersync.worker.replica.IndexedState;
import io.hypersync.worker.replica.Replica;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Replays a trace through a worker's {@link Replica} onto an empty store. Which chunks are missing,
 * in which order entries are applied and what is verified is decided by the replica, as on any
 * worker (hypersync.md 12.3, 22.2).
 */
public final class TraceReplay {
  private static final int PROGRESS_EVERY = 10_000;
  private static final WorkspaceId NO_WORKSPACE = new WorkspaceId(0, 0);

  private final ReplayedChunks chunks;
  private final TracedStates states;
  private final boolean hasPages;
  private final LongConsumer progress;

  /** Roots of checkpoints whose entries still wait for chunks, by index. */
  private final Map<Long, Hash> expected = new HashMap<>();

  private Replica replica;
  private long begin;
  private long checkpoints;
  private @Nullable Mismatch mismatch;

  private TraceReplay(
      RootVersion roots, boolean hasPages, ChunkStore store, LongConsumer progress) {
    this.chunks = new ReplayedChunks(store);
    this.states = new TracedStates(roots, store);
    this.hasPages = hasPages;
    this.progress = progress;
    this.replica = replica(Manifest.genesis(NO_WORKSPACE, roots));
  }

  private Replica replica(Manifest start) {
    return new Replica(
        chunks,
        (_, _, after) -> () -> applied(after),
        start,
        Long.MAX_VALUE,
        DirtyMemory.ofEverything(),
        states);
  }

  /**
   * Replays to the end, or to the first entry that differs from the trace.
   *
   * @param store empty; contains the trace's chunks afterwards
   * @param progress gets the applied index now and then
   * @throws TraceException if the trace is damaged: a record fails its check, an entry cannot be
   *     decoded, a chunk does not match its hash, a checkpoint is out of place, or the state that
   *     it begins with does not have the root that it says
   */
  public static TraceReport replay(TraceReader in, ChunkStore store, LongConsumer progress)
      throws IOException {
    return new TraceReplay(in.roots(), in.hasPages(), store, progress).run(in);
  }

  private TraceReport run(TraceReader in) throws IOException {
    TraceRecord record;
    while (mismatch == null && (record = in.next()) != null) {
      take(record, in.entries());
      while (replica.apply(Integer.MAX_VALUE, Long.MAX_VALUE) > 0) {
        // Until no further entry has all its chunks.
      }
      ApplyError error = replica.error();
      if (error != null && mismatch == null) {
        mismatch = new Mismatch(error.logIndex(), error.message());
      }
    }
    IndexedState end = replica.applied();
    if (mismatch == null && end.index() < begin + in.entries()) {
      mismatch = new Mismatch(end.index() + 1, lacking());
    }
    if (mismatch == null && !expected.isEmpty()) {
      throw new TraceException(
          "damaged: a checkpoint of entry "
              + expected.keySet().iterator().next()
              + ", and the last one is "
              + end.index());
    }
    return new TraceReport(
        in.version(), begin, end.index() - begin, in.chunks(), checkpoints, end.root(), mismatch);
  }

  private String lacking() {
    return replica.waitsForPage()
        ? "of the state that this entry restores, the trace lacks a page"
        : "of the chunks that this entry and later ones need, the trace lacks "
            + replica.missingChunks();
  }

  private void take(TraceRecord record, long number) throws TraceException {
    switch (record) {
      case TraceRecord.State(byte[] manifest) -> {
        try {
          Manifest start = states.beginning(manifest);
          begin = start.index();
          replica = replica(start);
        } catch (DecodeException e) {
          throw new TraceException("damaged: the state that it begins with: " + e.getMessage());
        }
      }
      case TraceRecord.Entry(byte[] bytes) -> {
        try {
          requireReplayable(number, bytes);
          // Missing chunks follow later in the file; if they do not, the end of the replay finds
          // that.
          var _ = replica.offer(List.of(bytes));
        } catch (DecodeException e) {
          throw new TraceException("damaged in entry " + (begin + number) + ": " + e.getMessage());
        }
      }
      case TraceRecord.ChunkData(Hash hash, byte[] bytes) -> {
        Chunk chunk = new Chunk(hash, bytes);
        if (!chunk.isIntact()) {
          throw new TraceException("damaged: a chunk does not match its hash " + hash);
        }
        chunks.put(chunk);
        replica.chunkStored(hash);
      }
      case TraceRecord.Checkpoint(long index, Hash root) -> {
        IndexedState now = replica.applied();
        if (now.index() == index) {
          compare(index, root, now.root());
        } else if (index < now.index()) {
          throw new TraceException(
              "damaged: a checkpoint of entry " + index + " after entry " + now.index());
        } else {
          expected.put(index, root);
        }
      }
    }
  }

  private void requireReplayable(long number, byte[] bytes) throws DecodeException, TraceException {
    LogEntry entry = LogEntryCodec.decode(bytes);
    if (entry.index() != begin + number) {
      throw new DecodeException("it says that it is entry " + entry.index());
    }
    if (!hasPages && entry.op() instanceof FsOp.RestoreState) {
      throw new TraceException(
          "entry "
              + entry.index()
              + " restores an earlier state, and a trace of this version does not have the pages of"
              + " that. To compare the roots of the log itself: ./hypersync trace --check");
    }
  }

  private void applied(IndexedState after) {
    if (after.index() % PROGRESS_EVERY == 0) {
      progress.accept(after.index());
    }
    Hash root = expected.remove(after.index());
    if (root != null) {
      compare(after.index(), root, after.root());
    }
  }

  private void compare(long index, Hash root, Hash replayed) {
    checkpoints++;
    if (!root.equals(replayed) && mismatch == null) {
      mismatch =
          new Mismatch(index, "the trace expects root " + root + ", replay gives " + replayed);
    }
  }
}
