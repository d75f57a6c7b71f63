package io.hypersync.model.op;

/** What fallocate(2) does with a range. Nothing is ever reserved: what has no chunk is a hole. */
public enum AllocateMode {
  /** No flag: the file reaches the end of the range at least. */
  EXTEND(true, false),
  /** FALLOC_FL_KEEP_SIZE: nothing changes but the times. */
  KEEP_SIZE(false, false),
  /** FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE: the range becomes a hole. */
  PUNCH_HOLE(false, true),
  /** FALLOC_FL_ZERO_RANGE: the range becomes a hole, and the file reaches its end at least. */
  ZERO_RANGE(true, true),
  /** FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE: the same within the present size. */
  ZERO_RANGE_KEEP_SIZE(false, true);

  private final boolean grows;
  private final boolean clears;

  AllocateMode(boolean grows, boolean clears) {
    this.grows = grows;
    this.clears = clears;
  }

  /** Whether a file that ends before the range does grows to its end. */
  public boolean mayExtend() {
    return grows;
  }

  /** Whether the bytes of the range are taken away. */
  public boolean clears() {
    return clears;
  }
}
