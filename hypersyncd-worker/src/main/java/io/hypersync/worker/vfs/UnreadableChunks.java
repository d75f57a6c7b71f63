package io.hypersync.worker.vfs;

import io.hypersync.model.op.ChunkRef;
import java.io.Serial;
import java.util.List;

/** Signals that chunks cannot be read from the local store; the leader may have them. */
final class UnreadableChunks extends Exception {
  @Serial private static final long serialVersionUID = 1;

  /**
   * A chunk that cannot be read.
   *
   * @param ref its length is the least that is needed of it, in bytes
   * @param isDamaged whether there is a copy in the store, which cannot be used
   */
  record Unreadable(ChunkRef ref, boolean isDamaged) {}

  private final transient List<Unreadable> chunks;

  /**
   * Creates the exception.
   *
   * @param chunks different ones, at least one
   */
  UnreadableChunks(List<Unreadable> chunks, String why) {
    super(why);
    this.chunks = List.copyOf(chunks);
  }

  List<Unreadable> chunks() {
    return chunks;
  }
}
