package io.hypersync.chunkstore.disk;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.CollectionPlan;
import io.hypersync.chunkstore.KeptChunks;
import io.hypersync.chunkstore.SegmentUsage;
import io.hypersync.chunkstore.SegmentUsage.Fate;
import io.hypersync.chunkstore.disk.SegmentWriter.Written;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts living bytes by segment, in one pass over the index. Changes nothing.
 *
 * <p>The index decides, not the headers in the segments: a chunk whose header has rotted can still
 * be read. Segments before the mark of the index are sealed, and everything in them is in the
 * index, or dead.
 */
final class SegmentMeasure {
  private static final int ENTRIES = 4_096;
  private static final int HUNDRED = 100;

  private final ChunkIndex index;
  private final KeptChunks kept;
  private final NavigableMap<Integer, Sums> segments = new TreeMap<>();

  /** Number of the first segment that is not sealed. */
  private final int unsealed;

  private byte @Nullable [] next = new byte[0];

  private static final class Sums {
    private final long bytes;
    private long live;
    private long dead;

    private Sums(long bytes) {
      this.bytes = bytes;
    }
  }

  /**
   * Begins; reads the names and sizes of all segments.
   *
   * @throws ChunkStoreException if that fails
   */
  SegmentMeasure(ChunkSegmentFiles files, ChunkIndex index, KeptChunks kept) {
    this.index = index;
    this.kept = kept;
    Mark mark = index.mark(); // before the sizes, so that those of sealed segments are final
    this.unsealed = mark == null ? 0 : mark.segment();
    try {
      files.lengths().forEach((segment, bytes) -> segments.put(segment, new Sums(bytes)));
    } catch (IOException e) {
      throw IoFailures.translate("cannot list the segments of the chunk store", e);
    }
  }

  /** Reads some entries of the index; returns their number. */
  int step() {
    byte[] from = next;
    if (from == null) {
      return 0;
    }
    next =
        index.entries(
            from,
            ENTRIES,
            written -> {
              count(written);
              return true;
            });
    return ENTRIES;
  }

  /** Number of the first segment that was not sealed when this began. */
  int unsealed() {
    return unsealed;
  }

  boolean isDone() {
    return next == null;
  }

  /** The result, once this is done. */
  CollectionPlan plan(int deadPercent) {
    List<SegmentUsage> usages = new ArrayList<>();
    for (Map.Entry<Integer, Sums> entry : segments.entrySet()) {
      usages.add(usage(entry.getKey(), entry.getValue(), deadPercent));
    }
    return new CollectionPlan(usages);
  }

  private SegmentUsage usage(int segment, Sums sums, int deadPercent) {
    if (segment >= unsealed) {
      return new SegmentUsage(segment, sums.bytes, Math.max(0, sums.bytes - sums.dead), Fate.KEPT);
    }
    // Less than the index says, if the segment has lost its end.
    long live = Math.min(sums.live, sums.bytes);
    Fate fate = Fate.KEPT;
    if (sums.live == 0) {
      fate = Fate.DELETED;
    } else if (HUNDRED * (sums.bytes - live) >= deadPercent * sums.bytes) {
      fate = Fate.COPIED_AND_DELETED;
    }
    return new SegmentUsage(segment, sums.bytes, live, fate);
  }

  private void count(Written written) {
    // A segment that has gone counts, too: its entries are removed, or reported as unreadable.
    Sums sums = segments.computeIfAbsent(written.place().segment(), _ -> new Sums(0));
    long bytes = (long) SegmentRecord.HEADER_BYTES + written.place().length();
    if (kept.isKept(written.hash())) {
      sums.live += bytes;
    } else {
      sums.dead += bytes;
    }
  }
}
