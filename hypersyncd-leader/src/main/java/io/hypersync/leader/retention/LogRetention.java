package io.hypersync.leader.retention;

import java.util.List;

/**
 * Decides which full segments of the log may go (hypersync.md 14.1). A function of its arguments:
 * time is the log's own, that of its newest entry, so a host whose clock jumps does not lose its
 * past.
 *
 * <p>Two bounds hold in any case: a snapshot and the stored intents must have the entries ({@link
 * Needs#starts}). Within them, an entry stays until it is both older than the duration and further
 * back than the count, and until all connected workers have applied it ({@link Needs#workers}). A
 * log that is larger than {@code maxBytes} loses its oldest segments all the same; a worker that
 * needs them takes a snapshot instead.
 *
 * @param durationNs RETAIN_LOG_HOURS, in nanoseconds
 * @param entries RETAIN_LOG_ENTRIES
 * @param maxBytes what the segments take at most, in bytes; the newest segment stays in any case
 */
public record LogRetention(long durationNs, long entries, long maxBytes) {
  /** Keeps everything. */
  public static final LogRetention ALL =
      new LogRetention(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);

  /**
   * A segment of the log.
   *
   * @param lastIndex the last entry in it
   * @param lastTimeNs a time at which that entry was committed or that was later, by the log's time
   * @param bytes the length of its file
   */
  public record Segment(long lastIndex, long lastTimeNs, long bytes) {}

  /**
   * What is still needed.
   *
   * @param starts the entries up to this one are in a durable snapshot from which the leader can
   *     start, and their intents are stored
   * @param workers the entries up to this one have been applied by all workers that are connected
   */
  public record Needs(long starts, long workers) {}

  /**
   * The last entry that may go.
   *
   * @param segments the oldest first, the newest segment left out
   * @param newestBytes the length of the newest segment's file
   * @param headIndex the newest entry
   * @param headTimeNs its time
   * @return 0 if nothing may go
   */
  public long through(
      List<Segment> segments, long newestBytes, long headIndex, long headTimeNs, Needs needs) {
    long bytes = newestBytes + segments.stream().mapToLong(Segment::bytes).sum();
    long through = 0;
    for (Segment segment : segments) {
      if (segment.lastIndex > needs.starts
          || (bytes <= maxBytes && !isOld(segment, headIndex, headTimeNs, needs))) {
        break;
      }
      through = segment.lastIndex;
      bytes -= segment.bytes;
    }
    return through;
  }

  /** The same rules for a log that may take any number of bytes. */
  public LogRetention ofAnySize() {
    return new LogRetention(durationNs, entries, Long.MAX_VALUE);
  }

  /**
   * Whether so much of the log is in no snapshot that one should be taken now: a quarter of what
   * the log may take. Two snapshots later its segments may go.
   *
   * @param segments the oldest first, the newest segment left out
   */
  public boolean wantsSnapshot(List<Segment> segments, Needs needs) {
    long bytes = 0;
    for (Segment segment : segments) {
      if (segment.lastIndex > needs.starts) {
        bytes += segment.bytes;
      }
    }
    return bytes > maxBytes / 4;
  }

  private boolean isOld(Segment segment, long headIndex, long headTimeNs, Needs needs) {
    return segment.lastIndex <= needs.workers
        && headTimeNs - segment.lastTimeNs > durationNs
        && headIndex - segment.lastIndex >= entries;
  }
}
