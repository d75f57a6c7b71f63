package io.hypersync.snapshot;

import java.io.IOException;

/**
 * Up to where content of the past may have been collected (hypersync.md 14.2). A chunk that only
 * entries up to this one mention, and no snapshot has, may be gone. It is raised before anything is
 * removed, and a crash never takes that back.
 */
public interface CollectionMark {
  /** The last entry whose chunks may be gone; 0 for none. Any thread. */
  long through();

  /**
   * Raises the mark, durably. A lower index than that of {@link #through} has no effect. One thread
   * at a time.
   *
   * @throws IOException if it cannot be written; then nothing may be removed
   */
  void raise(long index) throws IOException;
}
