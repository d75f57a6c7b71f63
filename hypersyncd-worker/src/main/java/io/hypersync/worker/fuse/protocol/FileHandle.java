package io.hypersync.worker.fuse.protocol;

/**
 * The number of an open file or directory ({@code fh}): given in the reply to OPEN, OPENDIR, CREATE
 * or TMPFILE, and carried by every later request of that open file.
 *
 * @param value as the kernel sent it
 */
public record FileHandle(long value) {
  /** What a request carries that is made through no open file. */
  public static final FileHandle NONE = new FileHandle(0);

  /** The number in decimal. */
  @Override
  public String toString() {
    return Long.toString(value);
  }
}
