package io.hypersync.cli.runtime;

/** How much heap the parts of the filesystem may take that can be read again from pages. */
final class StateMemory {
  private StateMemory() {}

  /**
   * What the daemons take for the setting {@code state_memory}.
   *
   * @param setting in bytes; 0 to keep everything in memory
   */
  static long bytes(long setting) {
    return setting == 0 ? Long.MAX_VALUE : setting;
  }
}
