package io.hypersync.snapshot;

/** Slows down work in the background, so that the disk has time for others. */
@FunctionalInterface
public interface RateLimit {
  /** Never waits. */
  RateLimit NONE = _ -> {};

  /** Waits as long as this many bytes more require; returns early if the thread is interrupted. */
  void spend(long bytes);
}
