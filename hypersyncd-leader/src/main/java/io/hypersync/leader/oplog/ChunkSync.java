package io.hypersync.leader.oplog;

import java.io.IOException;

/**
 * Makes every chunk that was stored before the call durable. The op log runs it in parallel with
 * its own sync, so that a commit costs the slower of the two and not their sum.
 */
@FunctionalInterface
public interface ChunkSync {
  /** For a log whose entries never refer to chunks. */
  ChunkSync NONE = () -> {};

  /**
   * Returns when the chunks are on stable storage.
   *
   * @throws IOException if they may not be; the log then fails for good
   */
  void sync() throws IOException;
}
