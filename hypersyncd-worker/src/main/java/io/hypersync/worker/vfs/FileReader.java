package io.hypersync.worker.vfs;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.UsedChunks;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.state.Extent;
import io.hypersync.model.state.FileContent;
import io.hypersync.worker.vfs.UnreadableChunks.Unreadable;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads a file's bytes from its chunks; ranges without an extent read as zeros. Thread-safe. */
final class FileReader {
  private final ChunkStore chunks;
  private final UsedChunks recent;

  /**
   * A reader of these chunks.
   *
   * @param recent is told of each chunk that is read
   */
  FileReader(ChunkStore chunks, UsedChunks recent) {
    this.chunks = chunks;
    this.recent = recent;
  }

  /**
   * Reads a range.
   *
   * @param fileSize the file's size in bytes; fewer than {@code length} bytes are returned only
   *     where the range passes it
   * @throws UnreadableChunks with all chunks of the range that are missing or damaged
   */
  byte[] read(FileContent content, long fileSize, long offset, int length) throws UnreadableChunks {
    long end = Math.min(fileSize, offset + length);
    if (offset < 0 || offset >= end) {
      return new byte[0];
    }
    Range range = new Range(offset, new byte[(int) (end - offset)]);
    Iterator<Extent> extents = content.from(offset);
    while (extents.hasNext()) {
      Extent extent = extents.next();
      if (extent.offset() >= end) {
        break;
      }
      range.copy(extent);
    }
    range.requireWhole();
    return range.out;
  }

  /**
   * Reads one whole chunk, for example the value of an extended attribute.
   *
   * @throws UnreadableChunks when it is missing or damaged
   */
  byte[] chunk(ChunkRef chunk) throws UnreadableChunks {
    Range range = new Range(0, new byte[0]);
    byte[] bytes = range.chunk(chunk);
    range.requireWhole();
    return bytes == null ? new byte[0] : bytes;
  }

  /** A range of a file that is being read. */
  private final class Range {
    private final long from;
    private final byte[] out;

    /** What cannot be read. */
    private @Nullable Map<Hash, Unreadable> missing;

    private String why = "";

    Range(long from, byte[] out) {
      this.from = from;
      this.out = out;
    }

    void requireWhole() throws UnreadableChunks {
      if (missing != null) {
        throw new UnreadableChunks(List.copyOf(missing.values()), why);
      }
    }

    /** Returns null if it cannot be read. */
    private byte @Nullable [] chunk(ChunkRef chunk) {
      recent.used(chunk.hash(), chunk.length()); // one that is fetched now, too, stays for a while
      try {
        byte[] bytes = chunks.getVerified(chunk.hash());
        if (bytes == null) {
          isMissing(chunk, false, "chunk " + chunk.hash() + " is not in the local store");
        }
        return bytes;
      } catch (ChunkStoreException e) {
        isMissing(chunk, true, String.valueOf(e.getMessage()));
        return null;
      }
    }

    private void isMissing(ChunkRef chunk, boolean isDamaged, String reason) {
      if (missing == null) {
        missing = new LinkedHashMap<>();
      }
      missing.putIfAbsent(chunk.hash(), new Unreadable(chunk, isDamaged));
      why = reason;
    }

    private void copy(Extent extent) {
      long to = from + out.length;
      ChunkRef needed = new ChunkRef(extent.chunk(), extent.chunkOffset() + extent.length());
      byte[] bytes = chunk(needed);
      if (bytes == null) {
        return;
      }
      long start = Math.max(extent.offset(), from);
      long end = Math.min(extent.end(), to);
      int inChunk = extent.chunkOffset() + (int) (start - extent.offset());
      int length = (int) (end - start);
      if (inChunk + length > bytes.length) {
        isMissing(needed, true, "chunk " + extent.chunk() + " is shorter than its extent says");
        return;
      }
      System.arraycopy(bytes, inChunk, out, (int) (start - from), length);
    }
  }
}
