package io.hypersync.cli.memory;

import java.util.function.BooleanSupplier;

/** A process's memory, as {@link IdleMemory} needs it. */
interface ProcessMemory {
  /**
   * How many bytes all threads but the one that asks have allocated since the start: work makes
   * garbage.
   */
  long allocatedBytes();

  /** How many bytes {@link #giveBack} would give back. */
  long roomBytes();

  /**
   * Gives room back to the system, and takes none until {@link #takeRoom}. Some seconds for a
   * million files, beside the other threads, with short stops of them.
   *
   * @param atWork asked now and then; once it is true nothing more is begun
   */
  void giveBack(BooleanSupplier atWork);

  /** From now on the heap takes as much room as it is told to at the start. */
  void takeRoom();
}
