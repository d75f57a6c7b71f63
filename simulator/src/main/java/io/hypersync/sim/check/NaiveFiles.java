package io.hypersync.sim.check;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.Extent;
import io.hypersync.model.state.FileContent;
import io.hypersync.model.state.Node;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The content of every file as a plain array: what a reader must see after the entries applied so
 * far, computed without chunk stores, and without extents unless an entry restores a state.
 */
public final class NaiveFiles {
  private static final byte[] EMPTY = {};

  private final Map<Hash, byte[]> written;
  private final Map<NodeId, byte[]> files = new HashMap<>();
  private final Set<Pending> pending = new HashSet<>();

  /**
   * A read that is not answered yet. Any content that the file had since the call is right: a read
   * takes one state of the files, and may then wait for a damaged chunk to be fetched again.
   */
  public final class Pending {
    private final NodeId node;
    private final long offset;
    private final int length;
    private final List<byte[]> right = new ArrayList<>();

    private Pending(NodeId node, long offset, int length) {
      this.node = node;
      this.offset = offset;
      this.length = length;
      right.add(read(node, offset, length));
    }

    /** Ends the read. Returns the right results, oldest first. */
    public List<byte[]> answered() {
      pending.remove(this);
      return right;
    }

    private void changed() {
      byte[] now = read(node, offset, length);
      if (!Arrays.equals(now, right.getLast())) {
        right.add(now);
      }
    }
  }

  /**
   * Creates the model of an empty workspace.
   *
   * @param written the bytes of all writes by processes, by hash
   */
  public NaiveFiles(Map<Hash, byte[]> written) {
    this.written = written;
  }

  /**
   * Applies an entry that is durable.
   *
   * @param log says what an entry that restores a state has brought back
   */
  public void applied(LogEntry entry, LogChecker log) {
    if (entry.op() instanceof FsOp.RestoreState) {
      log.state(entry.index()).nodes().forEach(this::restored);
    } else if (entry.op() instanceof FsOp.Truncate(NodeId node, long size, _)) {
      files.put(node, Arrays.copyOf(bytes(node), (int) size));
    } else if (entry.op() instanceof FsOp.Write write) {
      write(write);
    } else if (entry.op() instanceof FsOp.Allocate allocate) {
      allocate(allocate);
    } else if (entry.op() instanceof FsOp.CopyRange copy) {
      copy(copy);
    }
    pending.forEach(Pending::changed);
  }

  /** A process has called pread; to be ended with {@link Pending#answered}. */
  public Pending reading(NodeId node, long offset, int length) {
    Pending read = new Pending(node, offset, length);
    pending.add(read);
    return read;
  }

  private byte[] read(NodeId node, long offset, int length) {
    byte[] bytes = bytes(node);
    int from = (int) Math.min(offset, bytes.length);
    return Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + length));
  }

  /** The whole content; not a copy. */
  public byte[] bytes(NodeId node) {
    return files.getOrDefault(node, EMPTY);
  }

  /**
   * Takes the extents of a file, since nobody keeps all that files were once. What was read before
   * has shown whether they are right.
   */
  private void restored(Node node) {
    if (!(node.content() instanceof FileContent content)) {
      return;
    }
    byte[] bytes = new byte[(int) node.attributes().size()];
    for (Extent extent : content.extents()) {
      byte[] source = source(extent.chunk());
      System.arraycopy(source, extent.chunkOffset(), bytes, (int) extent.offset(), extent.length());
    }
    files.put(node.id(), bytes);
  }

  private byte[] source(Hash chunk) {
    byte[] source = written.get(chunk);
    if (source == null) {
      throw new Violation("a write of bytes that nobody wrote: " + chunk);
    }
    return source;
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
      System.arraycopy(source(chunk.hash()), 0, bytes, at, chunk.length());
      at += chunk.length();
    }
  }
}
