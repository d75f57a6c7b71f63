package io.hypersync.worker.fuse.jnr;

/**
 * Whether the caller that the current thread works for has received a signal. libfuse tells nobody,
 * so it is asked from time to time.
 */
@FunctionalInterface
interface Interruption {
  boolean hasCome();
}
