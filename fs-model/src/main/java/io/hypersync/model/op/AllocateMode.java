package io.hypersync.model.op;

/**
 * What fallocate(2) does with a byte range. Space is never reserved: a range without chunks is a
 * hole.
 */
public enum AllocateMode {
  /** No flag: the file grows to the end of the range if it is shorter. */
  EXTEND(true, false),
  /** FALLOC_FL_KEEP_SIZE: only the times change. */
  KEEP_SIZE(false, false),
  /** FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE: the range becomes a hole. */
  PUNCH_HOLE(false, true),
  /** FALLOC_FL_ZERO_RANGE: the range becomes a hole, and a shorter file grows to its end. */
  ZERO_RANGE(true, true),
  /** FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE: the range becomes a hole; the size stays. */
  ZERO_RANGE_KEEP_SIZE(false, true);

  private final boolean grows;
  private final boolean clears;

  AllocateMode(boolean grows, boolean clears) {
    this.grows = grows;
    this.clears = clears;
  }

  /** Whether a file that is shorter than the end of the range grows to it. */
  public boolean mayExtend() {
    return grows;
  }

  /** Whether the range becomes a hole. */
  public boolean clears() {
    return clears;
  }
}
