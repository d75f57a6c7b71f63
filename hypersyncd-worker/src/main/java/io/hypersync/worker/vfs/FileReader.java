package io.hypersync.worker.vfs;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.UsedChunks;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.state.Extent;
import io.hypersync.model.state.FileContent;
import java.util.Iterator;

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
   * @throws UnreadableChunk when a chunk is missing or damaged
   */
  byte[] read(FileContent content, long fileSize, long offset, int length) throws UnreadableChunk {
    long end = Math.min(fileSize, offset + length);
    if (offset < 0 || offset >= end) {
      return new byte[0];
    }
    byte[] out = new byte[(int) (end - offset)];
    Iterator<Extent> extents = content.from(offset);
    while (extents.hasNext()) {
      Extent extent = extents.next();
      if (extent.offset() >= end) {
        break;
      }
      copy(extent, offset, end, out);
    }
    return out;
  }

  /**
   * Reads one whole chunk, for example the value of an extended attribute.
   *
   * @throws UnreadableChunk when it is missing or damaged
   */
  byte[] chunk(ChunkRef chunk) throws UnreadableChunk {
    recent.used(chunk.hash(), chunk.length()); // one that is fetched now, too, stays for a while
    byte[] bytes;
    try {
      bytes = chunks.getVerified(chunk.hash());
    } catch (ChunkStoreException e) {
      throw new UnreadableChunk(chunk, true, String.valueOf(e.getMessage()));
    }
    if (bytes == null) {
      throw new UnreadableChunk(
          chunk, false, "chunk " + chunk.hash() + " is not in the local store");
    }
    return bytes;
  }

  private void copy(Extent extent, long from, long to, byte[] out) throws UnreadableChunk {
    ChunkRef needed = new ChunkRef(extent.chunk(), extent.chunkOffset() + extent.length());
    byte[] bytes = chunk(needed);
    long start = Math.max(extent.offset(), from);
    long end = Math.min(extent.end(), to);
    int inChunk = extent.chunkOffset() + (int) (start - extent.offset());
    int length = (int) (end - start);
    if (inChunk + length > bytes.length) {
      throw new UnreadableChunk(
          needed, true, "chunk " + extent.chunk() + " is shorter than its extent says");
    }
    System.arraycopy(bytes, inChunk, out, (int) (start - from), length);
  }
}
