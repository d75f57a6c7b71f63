package io.hypersync.cli.memory;

import java.util.function.BooleanSupplier;

/** The memory of a process, as {@link IdleMemory} needs it. */
interface ProcessMemory {
  /**
   * Returns how many bytes all threads except the calling one have allocated since the start,
   * without {@link BesideWork}. Work is recognized by its allocations.
   */
  long allocatedBytes();

  /** Returns how many bytes {@link #giveBack} would return to the system. */
  long roomBytes();

  /**
   * Returns free heap to the system and keeps the heap small until {@link #takeRoom}. Takes some
   * seconds for a million files; other threads run meanwhile, with short pauses.
   *
   * @param atWork polled; once it is true, no further step is begun
   */
  void giveBack(BooleanSupplier atWork);

  /** Lets the heap grow again to the size that the JVM's options allow. */
  void takeRoom();
}
