package io.hypersync.bench;

import java.io.IOException;

/** One thread's share of a measurement: an operation that it repeats, on files of its own. */
public interface Work extends AutoCloseable {
  /**
   * Makes what the operations use up; not measured.
   *
   * @return how many operations may follow before it is called again
   */
  default int stock() throws IOException {
    return Integer.MAX_VALUE;
  }

  /** The operation; measured. */
  void run() throws IOException;

  /** Gives its descriptors back; its files stay. */
  @Override
  void close() throws IOException;
}
