package io.hypersync.model.op;

/** Who chooses the offset of a write. */
public enum WriteMode {
  /** The caller chooses it. */
  PWRITE,
  /** O_APPEND: the leader chooses it, the end of file when the op is sequenced. */
  APPEND
}
