package io.hypersync.chunkstore;

import java.util.List;
import java.util.function.ToLongFunction;

/**
 * What a collection would do, as of now (hypersync.md 14.2).
 *
 * @param segments all segments, by number
 */
public record CollectionPlan(List<SegmentUsage> segments) {
  /** Copies the list. */
  public CollectionPlan {
    segments = List.copyOf(segments);
  }

  /** The size of all segments in bytes. */
  public long bytes() {
    return sum(SegmentUsage::bytes);
  }

  /** Bytes of living chunks. */
  public long liveBytes() {
    return sum(SegmentUsage::liveBytes);
  }

  /** Bytes of everything else. */
  public long deadBytes() {
    return sum(SegmentUsage::deadBytes);
  }

  /** By how many bytes the store would shrink. */
  public long freedBytes() {
    return sum(SegmentUsage::freedBytes);
  }

  /** How many bytes would have to be copied for that. */
  public long copiedBytes() {
    return sum(SegmentUsage::copiedBytes);
  }

  private long sum(ToLongFunction<SegmentUsage> part) {
    return segments.stream().mapToLong(part).sum();
  }
}
