package io.hypersync.worker.vfs;

import io.hypersync.model.op.ChunkRef;
import java.io.Serial;

/** A chunk that is needed cannot be read from the local store; the leader may have it. */
final class UnreadableChunk extends Exception {
  @Serial private static final long serialVersionUID = 1;

  private final transient ChunkRef chunk;

  /**
   * That chunk.
   *
   * @param chunk its length is what is needed of it at least
   */
  UnreadableChunk(ChunkRef chunk, String why) {
    super(why);
    this.chunk = chunk;
  }

  ChunkRef chunk() {
    return chunk;
  }
}
