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

/** What is done with the segments when a store is opened. */
final class SegmentRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentRecovery.class);
  private static final int FIRST_SEGMENT = 1;
  private static final int COPIED_BYTES = 1 << 20;

  private final SegmentFiles files;
  private final ChunkIndex index;
  private final NavigableMap<Integer, Long> lengths;

  private SegmentRecovery(SegmentFiles files, ChunkIndex index) throws IOException {
    this.files = files;
    this.index = index;
    this.lengths = files.lengths();
  }

  /**
   * Makes durable what is in the segments and not in the index, and enters it, a portion at a time.
   *
   * <p>A newest segment that does not end with a whole record is left as it is: whoever wants to
   * know what happened finds it there.
   *
   * @return where to go on, in a segment that may not exist yet
   * @throws ChunkStoreException {@link Errno#EIO} if what the index speaks of is gone
   */
  static Mark run(SegmentFiles files, ChunkIndex index) throws IOException {
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
    boolean clean = end.offset() == lengths.getOrDefault(end.segment(), 0L);
    return clean ? end : new Mark(end.segment() + 1, 0);
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
    SegmentScan scan = new SegmentScan(files, segment, lengths.get(segment));
    int at = from;
    try (SegmentFile file = files.openForWriting(segment)) {
      boolean more = true;
      while (more) {
        Portion portion = scan.next(at);
        if (segment == lengths.lastKey()) {
          writeAgain(file, segment, at, portion.end());
        }
        file.force();
        if (portion.end() > at) {
          index.write(portion.written(), new Mark(segment, portion.end()));
        }
        at = portion.end();
        more = portion.more();
      }
    }
    return new Mark(segment, at);
  }

  /**
   * Writes what is there over itself. If a sync has failed, the kernel may hold bytes that are not
   * on the disk and that it believes to be; nobody would be told of it a second time. Segments
   * before the newest one were synced before that was begun.
   */
  private void writeAgain(SegmentFile file, int segment, int from, int to) throws IOException {
    ByteBuffer copy = ByteBuffer.allocateDirect(COPIED_BYTES);
    for (int at = from; at < to; at += copy.limit()) {
      copy.clear().limit(Math.min(copy.capacity(), to - at));
      files.read(segment, copy, at);
      if (copy.hasRemaining()) {
        throw new IOException("segment " + segment + " became shorter");
      }
      file.write(copy.flip(), at);
    }
  }
}
