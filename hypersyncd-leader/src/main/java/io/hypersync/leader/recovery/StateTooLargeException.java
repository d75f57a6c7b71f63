package io.hypersync.leader.recovery;

/** The log's state is too heavy for this process's heap; a larger heap solves it. */
public final class StateTooLargeException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private static final long MIB = 1L << 20;

  public StateTooLargeException(long index, long bytes, long mostBytes) {
    super(
        "at log entry "
            + index
            + " the filesystem takes "
            + bytes / MIB
            + " MiB of memory, and this process has room for "
            + mostBytes / MIB);
  }
}
