package io.hypersync.bench;

import java.io.IOException;

/**
 * One thread's share of a measurement: an operation that it repeats on its own files. Used by one
 * thread.
 */
public interface Work extends AutoCloseable {
  /**
   * Prepares the files that the following operations use up; not measured.
   *
   * @return how many operations may follow before this must be called again
   */
  default int stock() throws IOException {
    return Integer.MAX_VALUE;
  }

  /** Runs the operation once; measured. */
  void run() throws IOException;

  /** Closes its file descriptors; its files stay. */
  @Override
  void close() throws IOException;
}
