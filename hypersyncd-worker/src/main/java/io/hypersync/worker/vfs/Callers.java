package io.hypersync.worker.vfs;

/** Facts about a caller that a FUSE request does not carry. */
@FunctionalInterface
public interface Callers {
  /** The supplementary groups of a thread; empty if the thread no longer exists. */
  int[] groups(int pid);
}
