package io.hypersync.wire.agent;

/** Randomness as a port, so that a seed can decide it. */
@FunctionalInterface
public interface Entropy {
  /** 64 random bits. */
  long nextLong();
}
