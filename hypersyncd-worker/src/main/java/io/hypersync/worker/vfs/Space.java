package io.hypersync.worker.vfs;

/** How much room there is, for statfs. */
@FunctionalInterface
public interface Space {
  /** Bytes that can still be stored here. */
  long freeBytes();
}
