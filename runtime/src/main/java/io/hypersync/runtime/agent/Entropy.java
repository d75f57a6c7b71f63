package io.hypersync.runtime.agent;

/** Random numbers as a port, so that in tests a seed determines them. */
@FunctionalInterface
public interface Entropy {
  /** 64 random bits. */
  long nextLong();
}
