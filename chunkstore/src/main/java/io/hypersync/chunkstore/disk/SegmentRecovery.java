package io.hypersync.chunkstore.disk;

import io.hypersync.chunkstore.disk.SegmentWriter.Written;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is done with the segments when a store is opened. */
final class SegmentRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentRecovery.class);
  private static final int FIRST_SEGMENT = 1;

  private SegmentRecovery() {}

  /**
   * Makes durable what is in the segments and not in the index, and enters it.
   *
   * <p>A newest segment that does not end with a whole record is left as it is: whoever wants to
   * know what happened finds it there.
   *
   * @return where to go on, in a segment that may not exist yet
   */
  static Mark run(SegmentFiles files, ChunkIndex index) throws IOException {
    NavigableMap<Integer, Long> lengths = files.lengths();
    Mark known = index.mark();
    if (known == null) {
      known = new Mark(lengths.isEmpty() ? FIRST_SEGMENT : lengths.firstKey(), 0);
      if (!lengths.isEmpty()) {
        LOG.info("the index of chunks is made anew from {} segments", lengths.size());
      }
    }
    List<Written> found = new ArrayList<>();
    SegmentScan.End end = new SegmentScan(files, lengths, found::add).run(known);
    // A process that was killed has left them to the kernel.
    for (int segment : lengths.tailMap(known.segment()).keySet()) {
      try (SegmentFile file = files.openOrCreate(segment)) {
        file.force();
      }
    }
    Mark next = end.clean() ? end.mark() : new Mark(end.mark().segment() + 1, 0);
    if (!next.equals(known)) {
      index.write(found, next);
    }
    return next;
  }
}
