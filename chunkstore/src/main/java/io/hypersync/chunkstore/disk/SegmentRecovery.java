package io.hypersync.chunkstore.disk;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.disk.SegmentScan.Portion;
import io.hypersync.model.errno.Errno;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings index and segments into agreement when a store is opened. */
final class SegmentRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentRecovery.class);
  private static final int FIRST_SEGMENT = 1;

  private final ChunkSegmentFiles files;
  private final ChunkIndex index;
  private final NavigableMap<Integer, Long> lengths;

  private SegmentRecovery(ChunkSegmentFiles files, ChunkIndex index) throws IOException {
    this.files = files;
    this.index = index;
    this.lengths = files.lengths();
  }

  /**
   * Makes the records that are not in the index durable and indexes them, one portion at a time.
   *
   * <p>If the newest segment does not end with a complete record, it is not truncated, so that it
   * can be inspected later, and writing continues in a new one.
   *
   * @return where to append; the segment may not exist yet
   * @throws ChunkStoreException {@link Errno#EIO} if a segment is shorter than the index says
   */
  static Mark run(ChunkSegmentFiles files, ChunkIndex index) throws IOException {
    return new SegmentRecovery(files, index).run(index.mark());
  }

  private Mark run(@Nullable Mark mark) throws IOException {
    if (lengths.isEmpty() && mark == null) {
      return new Mark(FIRST_SEGMENT, 0);
    }
    if (mark == null) {
      LOG.info("the index of chunks is made anew from {} segments", lengths.size());
    }
    Mark end = mark == null ? new Mark(lengths.firstKey(), 0) : mark;
    requireLength(end);
    for (int segment : lengths.tailMap(end.segment()).keySet()) {
      end = enter(segment, segment == end.segment() ? end.offset() : 0);
    }
    long left = lengths.getOrDefault(end.segment(), 0L) - end.offset();
    if (left == 0) {
      return end;
    }
    LOG.warn(
        "segment {} has no record in its last {} bytes: a crash has left them, unsynced; they stay",
        end.segment(),
        left);
    return new Mark(end.segment() + 1, 0);
  }

  private void requireLength(Mark mark) {
    long length = lengths.getOrDefault(mark.segment(), 0L);
    if (length < mark.offset()) {
      throw new ChunkStoreException(
          Errno.EIO,
          "segment %d of the chunk store has %d bytes of the %d that it had: restore it"
              .formatted(mark.segment(), length, mark.offset()));
    }
  }

  private Mark enter(int segment, int from) throws IOException {
    try (ChunkSegmentFile file = files.openForWriting(segment)) {
      SegmentScan scan =
          new SegmentScan(
              files,
              segment,
              lengths.get(segment),
              (record, at) -> {
                if (segment == lengths.lastKey()) {
                  writeAgain(file, record, at);
                }
              });
      int at = from;
      boolean more = true;
      while (more) {
        Portion portion = scan.next(at);
        file.force();
        if (portion.end() > at) {
          index.writePatiently(portion.written(), new Mark(segment, portion.end()));
        }
        at = portion.end();
        more = portion.more();
      }
      return new Mark(segment, at);
    }
  }

  /**
   * Writes a record again, with the bytes that were just read and verified. If a sync failed
   * earlier, the page cache may hold bytes that are not on the disk but that the kernel considers
   * written; another sync would neither write them nor report an error. Rewriting makes them dirty
   * again. It must use the very bytes whose hash was verified. Only the newest segment needs this:
   * each earlier one was synced before the next was begun.
   */
  private static void writeAgain(ChunkSegmentFile file, ByteBuffer record, int at)
      throws IOException {
    file.write(record.duplicate(), at);
  }
}
