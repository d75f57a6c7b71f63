package io.hypersync.worker.vfs;

/** What the kernel does not say about a caller. */
@FunctionalInterface
public interface Callers {
  /** The supplementary groups of a thread; empty if it is gone. */
  int[] groups(int pid);
}
