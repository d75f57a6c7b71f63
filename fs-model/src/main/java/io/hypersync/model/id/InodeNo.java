package io.hypersync.model.id;

/**
 * The number that every worker reports as {@code st_ino}: a counter in the state, never reused
 * (hypersync.md 5.2.1, 7.1). The root directory is 1, which is also what FUSE calls it.
 *
 * @param value at least 1
 */
public record InodeNo(long value) {
  /** The root directory. */
  public static final InodeNo ROOT = new InodeNo(1);

  @Override
  public String toString() {
    return Long.toUnsignedString(value);
  }
}
