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
 * The content of every file as a plain array: what a reader must see after the entries applied so
 * far, computed without extents and chunk stores.
 */
public final class NaiveFiles {
  private static final byte[] EMPTY = {};

  private final Map<Hash, byte[]> written;
  private final Map<NodeId, byte[]> files = new HashMap<>();

  /**
   * Creates the model of an empty workspace.
   *
   * @param written the bytes of all writes by processes, by hash
   */
  public NaiveFiles(Map<Hash, byte[]> written) {
    this.written = written;
  }

  /** Applies an entry. */
  public void applied(LogEntry entry) {
    if (entry.op() instanceof FsOp.Truncate(NodeId node, long size, _)) {
      files.put(node, Arrays.copyOf(bytes(node), (int) size));
    } else if (entry.op() instanceof FsOp.Write write) {
      write(write);
    } else if (entry.op() instanceof FsOp.Allocate allocate) {
      allocate(allocate);
    } else if (entry.op() instanceof FsOp.CopyRange copy) {
      copy(copy);
    }
  }

  /** The expected result of pread; shorter than {@code length} at the end of the file. */
  public byte[] read(NodeId node, long offset, int length) {
    byte[] bytes = bytes(node);
    int from = (int) Math.min(offset, bytes.length);
    return Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + length));
  }

  /** The whole content; not a copy. */
  public byte[] bytes(NodeId node) {
    return files.getOrDefault(node, EMPTY);
  }

  private void allocate(FsOp.Allocate allocate) {
    long end = allocate.offset() + allocate.length();
    byte[] bytes = bytes(allocate.node());
    switch (allocate.mode()) {
      case EXTEND, ZERO_RANGE -> bytes = longer(allocate.node(), end);
      case KEEP_SIZE, PUNCH_HOLE, ZERO_RANGE_KEEP_SIZE -> {}
    }
    switch (allocate.mode()) {
      case EXTEND, KEEP_SIZE -> {}
      case PUNCH_HOLE, ZERO_RANGE, ZERO_RANGE_KEEP_SIZE -> {
        int from = (int) Math.min(allocate.offset(), bytes.length);
        Arrays.fill(bytes, from, (int) Math.min(end, bytes.length), (byte) 0);
      }
    }
  }

  private void copy(FsOp.CopyRange copy) {
    int from = (int) copy.sourceOffset();
    byte[] taken = Arrays.copyOfRange(bytes(copy.source()), from, from + (int) copy.length());
    byte[] target = longer(copy.target(), copy.targetOffset() + copy.length());
    System.arraycopy(taken, 0, target, (int) copy.targetOffset(), taken.length);
  }

  private byte[] longer(NodeId node, long size) {
    byte[] bytes = bytes(node);
    if (bytes.length < size) {
      bytes = Arrays.copyOf(bytes, (int) size);
      files.put(node, bytes);
    }
    return bytes;
  }

  private void write(FsOp.Write write) {
    int at = (int) write.offset();
    byte[] bytes = longer(write.node(), at + write.length());
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
