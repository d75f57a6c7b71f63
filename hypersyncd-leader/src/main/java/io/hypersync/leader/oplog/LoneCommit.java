package io.hypersync.leader.oplog;

/**
 * The right of the appending thread to write one entry itself, taken from the log's own thread
 * ({@link OpLog#tryLoneCommit}): waiting for the disk is faster than being woken by a thread that
 * waits for it. On the thread that appends; to be closed exactly once, before that thread does
 * anything else that may block.
 */
@FunctionalInterface
public interface LoneCommit extends AutoCloseable {
  /**
   * Makes the entry durable that was appended since, if any, and gives writing back to the log's
   * thread. Blocks on the disk. Several entries, or one that needs more than one write to the disk
   * (a new segment, chunks), are left to the log's thread: {@link OpLog#durableIndex()} shows what
   * was done. A failure is reported to the {@link OpLogListener}, as by the log's thread.
   */
  @Override
  void close();
}
