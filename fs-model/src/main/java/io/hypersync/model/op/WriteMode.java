package io.hypersync.model.op;

/** Who chooses the offset. */
public enum WriteMode {
  /** The caller. */
  PWRITE,
  /** The leader: O_APPEND. */
  APPEND
}
