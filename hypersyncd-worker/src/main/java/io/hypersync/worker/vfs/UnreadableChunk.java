package io.hypersync.worker.vfs;

import io.hypersync.model.op.ChunkRef;
import java.io.Serial;

/** Signals that a chunk cannot be read from the local store; the leader may have it. */
final class UnreadableChunk extends Exception {
  @Serial private static final long serialVersionUID = 1;

  private final transient ChunkRef chunk;
  private final boolean isDamaged;

  /**
   * Creates the exception.
   *
   * @param chunk the chunk; its length is the least that is needed of it, in bytes
   * @param isDamaged whether there is a copy in the store, which cannot be used
   */
  UnreadableChunk(ChunkRef chunk, boolean isDamaged, String why) {
    super(why);
    this.chunk = chunk;
    this.isDamaged = isDamaged;
  }

  boolean isDamaged() {
    return isDamaged;
  }

  ChunkRef chunk() {
    return chunk;
  }
}
