package io.hypersync.chunkstore.disk;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.CollectionOptions;
import io.hypersync.chunkstore.CollectionPlan;
import io.hypersync.chunkstore.CollectionProgress;
import io.hypersync.chunkstore.CollectionProgress.Phase;
import io.hypersync.chunkstore.CollectionRun;
import io.hypersync.chunkstore.KeptChunks;
import io.hypersync.chunkstore.SegmentUsage;
import io.hypersync.chunkstore.SegmentUsage.Fate;
import io.hypersync.chunkstore.disk.SegmentWriter.Written;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.text.FileFailures;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A collection of a store on disk. Sealed segments are emptied and deleted, in groups: first all
 * that hold nothing living, then those with the fewest living bytes, as many at a time as there is
 * plenty of room to copy. Between the two the newest segment is ended if it is sparse, so that it
 * is one of the latter, and copies go to another one. For each group:
 *
 * <ol>
 *   <li>One pass over the index finds all entries in its segments. Dead ones are removed from the
 *       index, durably. Living chunks are read, compared with their hashes, and appended to the
 *       newest segment like chunks that are put.
 *   <li>A checkpoint syncs the copies, then moves their entries in the index, durably.
 *   <li>Now no entry names a place in the group, and the files are deleted.
 * </ol>
 *
 * <p><b>Why nothing is lost.</b> At each moment a living chunk has an entry in the index whose
 * bytes are durable, and its file is deleted only after that entry has been replaced by one that
 * is. A crash
 *
 * <ul>
 *   <li>between copy and checkpoint: the index has the old place, whose file is still there. {@link
 *       SegmentRecovery} finds whole copies behind the mark, and enters them after it has made them
 *       durable. Torn copies do not count.
 *   <li>between checkpoint and deletion: the old file holds nothing that the index names. The next
 *       run deletes it without copying. So it does if a loss of power brings a deleted file back:
 *       therefore the directory need not be synced.
 *   <li>with a chunk in two segments: the index names one of them. If it is lost and made anew from
 *       the segments, the later one counts; the hash vouches for either. Dead chunks of segments
 *       that still exist then come back until the next run.
 * </ul>
 *
 * <p>The newest segment is emptied only if the mark of the index has moved behind it: then it is
 * sealed, and all that it has is in the index, like every other one. What was put there since it
 * was measured is kept by this run, and counts as living.
 *
 * <p>A dead chunk is removed from the index before its file is deleted, so that the store never
 * says that it has what is gone. {@link KeptChunks} decides between a removal and a caller who asks
 * at the same time. If the removal fails, it may take effect later all the same; so the chunk stays
 * condemned until a removal has succeeded.
 *
 * <p>A segment with a living chunk that cannot be read, or is damaged, is not deleted: the failure
 * may be temporary, and somebody may restore the file. The chunk counts as missing and is reported;
 * once it is stored again, the next run deletes the segment.
 */
final class DiskCollection implements CollectionRun {
  private static final Logger LOG = LoggerFactory.getLogger(DiskCollection.class);
  private static final int ENTRIES = 4_096;
  private static final long HUNDRED = 100;

  /** What reading an entry of the index costs of a budget; about its size. */
  private static final long ENTRY_BYTES = 64;

  /** What deleting a file costs of a budget. */
  private static final long DELETE_BYTES = 1 << 20;

  private static final long SMALLEST_COPY_BYTES = 64 << 10;
  private static final long LARGEST_COPY_BYTES = 1 << 20;

  /** Copies take at most this part of the free space before segments are deleted. */
  private static final int PART_OF_SPACE = 8;

  private final DiskChunkStore store;
  private final ChunkSegmentFiles files;
  private final ChunkIndex index;
  private final KeptChunks kept;
  private final FreeSpace space;
  private final CollectionReserve reserve;
  private final CollectionOptions options;

  private Phase phase = Phase.MARKING;
  private @Nullable SegmentMeasure measure;

  /** Segments with nothing living, which are the first group. */
  private List<SegmentUsage> empty = List.of();

  /** Segments to be emptied after those, the ones with the fewest living bytes first. */
  private final Deque<SegmentUsage> sparse = new ArrayDeque<>();

  /** The newest segment, if it is as sparse as a sealed one that is emptied; else null. */
  private @Nullable SegmentUsage sparseNewest;

  private @Nullable Group group;
  private boolean isReserveGrowing;
  private int toClean;
  private int deleted;
  private int left;
  private long chunksRemoved;
  private long chunksCopied;
  private long bytesCopied;
  private long bytesDeleted;
  private long liveBytes;
  private long deadBytes;
  private long unreadableChunks;
  private final List<Hash> unreadable = new ArrayList<>();
  private volatile CollectionProgress progress = snapshot();

  /** Segments that are emptied in one pass over the index, and then deleted. */
  private static final class Group {
    /** Whether there was nothing living in it, so that no room for copies is needed. */
    private final boolean isEmpty;

    private final Set<Integer> segments;
    private final Deque<SegmentUsage> toDelete;

    /** Segments that must stay. */
    private final Set<Integer> retained = new HashSet<>();

    /** Where in the index to go on; null after the pass. */
    private byte @Nullable [] next = new byte[0];

    private boolean isMoved;

    private Group(Collection<SegmentUsage> members, boolean isEmpty) {
      this.isEmpty = isEmpty;
      this.segments = members.stream().map(SegmentUsage::segment).collect(Collectors.toSet());
      this.toDelete = new ArrayDeque<>(members);
    }
  }

  DiskCollection(
      DiskChunkStore store,
      ChunkSegmentFiles files,
      ChunkIndex index,
      KeptChunks kept,
      FreeSpace space,
      CollectionReserve reserve,
      CollectionOptions options) {
    this.store = store;
    this.files = files;
    this.index = index;
    this.kept = kept;
    this.space = space;
    this.reserve = reserve;
    this.options = options;
  }

  @Override
  public boolean mark(Hash hash) {
    Phase now = progress.phase();
    if (now != Phase.MARKING) {
      throw new IllegalStateException("the collection takes no marks any more: " + now);
    }
    return kept.mark(hash);
  }

  @Override
  public synchronized CollectionPlan plan() {
    requireRunning();
    SegmentMeasure dry = new SegmentMeasure(files, index, kept);
    while (!dry.isDone()) {
      int _ = dry.step();
    }
    return plan(dry);
  }

  /** The plan of a measure; the newest segment is to be emptied, too, if that is worth it. */
  private CollectionPlan plan(SegmentMeasure measured) {
    List<SegmentUsage> usages = new ArrayList<>(measured.plan(options.deadPercent()).segments());
    usages.stream()
        .max(Comparator.comparingInt(SegmentUsage::segment))
        .filter(this::isWorthEnding)
        .ifPresent(
            newest ->
                usages.replaceAll(
                    usage ->
                        usage.equals(newest)
                            ? emptied(usage.segment(), usage.bytes(), usage.liveBytes())
                            : usage));
    return new CollectionPlan(usages);
  }

  @Override
  public synchronized CollectionProgress sweep(long budgetBytes) {
    requireRunning();
    if (phase == Phase.MARKING) {
      phase = Phase.MEASURING;
      progress = snapshot();
      measure = new SegmentMeasure(files, index, kept);
    }
    try {
      long rest = Math.max(0, budgetBytes);
      do {
        rest -= stepWithReserve(rest);
      } while (rest > 0 && phase != Phase.DONE);
    } finally {
      progress = snapshot();
    }
    return progress;
  }

  @Override
  public CollectionProgress progress() {
    return progress;
  }

  @Override
  public synchronized CollectionProgress finish() {
    if (phase != Phase.DONE) {
      throw new IllegalStateException("the collection is not done: " + phase);
    }
    end();
    return progress;
  }

  @Override
  public synchronized void abort() {
    if (phase != Phase.ENDED) {
      end();
    }
  }

  private void end() {
    phase = Phase.ENDED;
    progress = snapshot();
    kept.end();
  }

  private void requireRunning() {
    if (phase == Phase.ENDED) {
      throw new IllegalStateException("the collection has ended");
    }
  }

  /** One step; if the disk is full, once more without the reserve. */
  private long stepWithReserve(long budget) {
    try {
      return step(budget);
    } catch (ChunkStoreException e) {
      if (e.errno() != Errno.ENOSPC || !reserve.release()) {
        throw e;
      }
      LOG.info("the disk is full; a collection of chunks goes on in its reserve");
      return step(budget);
    }
  }

  /** Does one step and returns its cost. */
  private long step(long budget) {
    SegmentMeasure measuring = measure;
    if (measuring != null) {
      long cost = measuring.step() * ENTRY_BYTES;
      if (measuring.isDone()) {
        measure = null;
        choose(plan(measuring), measuring.unsealed());
      }
      return cost;
    }
    if (isReserveGrowing) {
      return growReserve();
    }
    Group current = group;
    if (current == null) {
      SegmentUsage newest = sparseNewest;
      if (empty.isEmpty() && newest != null) {
        sparseNewest = null;
        endNewest(newest);
        return DELETE_BYTES;
      }
      group = nextGroup();
      if (group == null) {
        long written = growReserve();
        phase = written == 0 ? Phase.DONE : phase;
        return written;
      }
      return 0;
    }
    if (current.next != null) {
      return empty(current, current.next, budget);
    }
    if (!current.isMoved) {
      store.checkpoint(); // copies are durable, then their entries are
      store.remove(List.of()); // an earlier removal may have failed
      current.isMoved = true;
      return 0;
    }
    SegmentUsage next = current.toDelete.poll();
    if (next == null) {
      group = null;
      isReserveGrowing = true;
      return 0;
    }
    delete(next, current.retained.contains(next.segment()));
    return DELETE_BYTES;
  }

  /**
   * Ends the newest segment, and has it emptied unless so much was put there meanwhile that it is
   * not worth it any more. If that fails, or there is no room to copy what is alive in it, the
   * others are emptied all the same.
   */
  private void endNewest(SegmentUsage newest) {
    try {
      store.endSegment(newest.segment());
      Mark mark = index.mark();
      Long bytes = files.lengths().get(newest.segment());
      if (mark == null || mark.segment() <= newest.segment() || bytes == null) {
        return;
      }
      SegmentUsage ended = emptied(newest.segment(), bytes, bytes - newest.deadBytes());
      if (!isSparse(ended)) {
        return;
      }
      if (ended.fate() == Fate.DELETED) {
        empty = List.of(ended);
      } else {
        store.requireSpaceToCopy(ended.liveBytes());
        sparse.add(ended);
      }
      toClean++;
    } catch (ChunkStoreException | IOException e) {
      LOG.info("the newest segment of chunks is not emptied: {}", e.getMessage());
    }
  }

  /**
   * Takes a plan.
   *
   * @param unsealed the first segment that must be ended before it can be emptied
   */
  private void choose(CollectionPlan plan, int unsealed) {
    liveBytes = plan.liveBytes();
    deadBytes = plan.deadBytes();
    store.measured(liveBytes, deadBytes);
    empty =
        plan.segments().stream()
            .filter(usage -> usage.fate() == Fate.DELETED && usage.segment() < unsealed)
            .toList();
    plan.segments().stream()
        .filter(usage -> usage.fate() == Fate.COPIED_AND_DELETED && usage.segment() < unsealed)
        .sorted(Comparator.comparingLong(SegmentUsage::liveBytes))
        .forEach(sparse::add);
    toClean = empty.size() + sparse.size();
    sparseNewest =
        plan.segments().stream()
            .filter(usage -> usage.fate() != Fate.KEPT && usage.segment() >= unsealed)
            .findFirst()
            .orElse(null);
    if (!options.keepsReserve() && reserve.release()) {
      LOG.info("collections of chunks keep no reserve any more");
    }
    phase = Phase.CLEANING;
    isReserveGrowing = true;
  }

  private static SegmentUsage emptied(int segment, long bytes, long live) {
    return new SegmentUsage(
        segment, bytes, live, live == 0 ? Fate.DELETED : Fate.COPIED_AND_DELETED);
  }

  /** Whether the newest segment is to be ended, so that it can be emptied. */
  private boolean isWorthEnding(SegmentUsage newest) {
    return newest.fate() == Fate.KEPT
        && newest.bytes() >= store.leastSegmentBytes()
        && isSparse(newest);
  }

  private boolean isSparse(SegmentUsage usage) {
    return HUNDRED * usage.deadBytes() >= options.deadPercent() * usage.bytes();
  }

  /** Writes a piece of the reserve; returns its bytes, 0 if there is nothing to write. */
  private long growReserve() {
    long written = options.keepsReserve() ? reserve.grow() : 0;
    isReserveGrowing = written > 0;
    return written;
  }

  private @Nullable Group nextGroup() {
    if (!empty.isEmpty()) {
      Group all = new Group(empty, true);
      empty = List.of();
      return all;
    }
    SegmentUsage first = sparse.peek();
    if (first == null) {
      return null;
    }
    store.requireSpaceToCopy(first.liveBytes());
    long limit = space.bytes() / PART_OF_SPACE;
    List<SegmentUsage> members = new ArrayList<>();
    long bytes = 0;
    while (first != null && (members.isEmpty() || bytes + first.liveBytes() <= limit)) {
      bytes += first.liveBytes();
      members.add(sparse.remove());
      first = sparse.peek();
    }
    return new Group(members, false);
  }

  /** Goes on with the pass over the index for a group. Can be repeated after a failure. */
  private long empty(Group current, byte[] from, long budget) {
    Slice slice =
        new Slice(
            current.segments, kept, Math.clamp(budget, SMALLEST_COPY_BYTES, LARGEST_COPY_BYTES));
    byte[] next = index.entries(from, ENTRIES, slice);
    List<Written> dead = new ArrayList<>();
    List<Written> live = new ArrayList<>();
    for (Written written : slice.found) {
      if (kept.condemn(written.hash())) {
        dead.add(written);
      } else {
        live.add(written);
      }
    }
    store.remove(dead);
    chunksRemoved += dead.size();
    List<Hash> missing = new ArrayList<>();
    List<Chunk> copies = copies(current, live, missing);
    long bytes = copy(current, copies, live);
    current.next = next;
    chunksCopied += bytes == 0 ? 0 : copies.size();
    bytesCopied += bytes;
    unreadableChunks += missing.size();
    missing.stream()
        .limit(CollectionProgress.MAX_UNREADABLE - unreadable.size())
        .forEach(unreadable::add);
    return slice.entries * ENTRY_BYTES + bytes;
  }

  /** Reads living chunks. Segments with chunks that cannot be read are retained. */
  private List<Chunk> copies(Group current, List<Written> live, List<Hash> missing) {
    live.sort(
        Comparator.comparingInt((Written written) -> written.place().segment())
            .thenComparingInt(written -> written.place().offset()));
    List<Chunk> copies = new ArrayList<>();
    for (Written written : live) {
      try {
        byte[] bytes = store.readToCopy(written);
        if (bytes != null) {
          copies.add(new Chunk(written.hash(), bytes));
        }
      } catch (ChunkStoreException e) {
        if (retain(current, written)) { // one line for each segment
          LOG.error(
              "segment {} stays, because a living chunk cannot be read: {}",
              written.place().segment(),
              e.getMessage());
        }
        missing.add(written.hash());
      }
    }
    return copies;
  }

  /** Whether the segment was not retained yet. */
  private static boolean retain(Group current, Written written) {
    return current.retained.add(written.place().segment());
  }

  /** Copies chunks; returns the number of bytes. */
  private long copy(Group current, List<Chunk> copies, List<Written> live) {
    if (copies.isEmpty()) {
      return 0;
    }
    try {
      store.copy(copies);
      return copies.stream().mapToLong(SegmentRecord::bytesOf).sum();
    } catch (ChunkStoreException e) {
      if (e.errno() != Errno.ENOSPC || !current.isEmpty) {
        throw e;
      }
      // Chunks that have been asked for since the segments were measured: those segments stay, so
      // that the others can be deleted.
      for (Written written : live) {
        boolean _ = retain(current, written);
      }
      return 0;
    }
  }

  private void delete(SegmentUsage usage, boolean isRetained) {
    if (isRetained) {
      left++;
      return;
    }
    try {
      files.delete(usage.segment());
    } catch (IOException e) {
      LOG.warn("cannot delete segment {}: {}", usage.segment(), FileFailures.describe(e));
      left++;
      return;
    }
    deleted++;
    bytesDeleted += usage.bytes();
    deadBytes -= usage.deadBytes();
    store.measured(liveBytes, deadBytes);
  }

  private CollectionProgress snapshot() {
    return new CollectionProgress(
        phase,
        toClean,
        deleted,
        left,
        chunksRemoved,
        chunksCopied,
        bytesCopied,
        bytesDeleted,
        liveBytes,
        deadBytes,
        unreadableChunks,
        unreadable);
  }

  /** Selects entries in some segments, up to a total size of the living chunks. */
  private static final class Slice implements Predicate<Written> {
    private final Set<Integer> segments;
    private final KeptChunks kept;
    private final long most;
    private final List<Written> found = new ArrayList<>();
    private long bytes;
    private long entries;

    private Slice(Set<Integer> segments, KeptChunks kept, long most) {
      this.segments = segments;
      this.kept = kept;
      this.most = most;
    }

    @Override
    public boolean test(Written written) {
      entries++;
      if (segments.contains(written.place().segment())) {
        found.add(written);
        bytes += kept.isKept(written.hash()) ? written.place().length() : 0;
      }
      return bytes < most;
    }
  }
}
