package io.hypersync.worker.vfs;

/** Free space, for statfs. */
@FunctionalInterface
public interface Space {
  /** The number of bytes that can still be stored on this host. */
  long freeBytes();
}
