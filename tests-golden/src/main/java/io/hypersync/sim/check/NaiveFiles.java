package io.hypersync.sim.check;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The bytes of every file as plain arrays: what a reader must see after the entries so far, found
 * without extents and chunk stores.
 */
public final class NaiveFiles {
  private static final byte[] EMPTY = {};

  private final Map<Hash, byte[]> written;
  private final Map<NodeId, byte[]> files = new HashMap<>();

  /**
   * No files.
   *
   * @param written the bytes that processes have handed over, by hash
   */
  public NaiveFiles(Map<Hash, byte[]> written) {
    this.written = written;
  }

  /** Follows the log. */
  public void applied(LogEntry entry) {
    if (entry.op() instanceof FsOp.Truncate(NodeId node, long size, _)) {
      files.put(node, Arrays.copyOf(bytes(node), (int) size));
    } else if (entry.op() instanceof FsOp.Write write) {
      write(write);
    }
  }

  /** What pread must give. */
  public byte[] read(NodeId node, long offset, int length) {
    byte[] bytes = bytes(node);
    int from = (int) Math.min(offset, bytes.length);
    return Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + length));
  }

  /** The whole file. */
  public byte[] bytes(NodeId node) {
    return files.getOrDefault(node, EMPTY);
  }

  private void write(FsOp.Write write) {
    int at = (int) write.offset();
    byte[] bytes = bytes(write.node());
    if (bytes.length < at + write.length()) {
      bytes = Arrays.copyOf(bytes, (int) (at + write.length()));
      files.put(write.node(), bytes);
    }
    for (ChunkRef chunk : write.chunks()) {
      byte[] source = written.get(chunk.hash());
      if (source == null) {
        throw new Violation("a write of bytes that nobody wrote: " + chunk);
      }
      System.arraycopy(source, 0, bytes, at, chunk.length());
      at += chunk.length();
    }
  }
}
