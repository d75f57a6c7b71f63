package io.hypersync.leader.oplog;

import java.io.IOException;
import java.io.Serial;
import java.nio.file.Path;

/**
 * A record that was durable is damaged or missing. The leader must not start: serving a log with a
 * hole would break the prefix property (hypersync.md 22.1).
 */
public final class OpLogCorruptException extends IOException {
  @Serial private static final long serialVersionUID = 1;

  private final long index;
  private final transient Path file;

  /** Names the first damaged index and the file that should hold it. */
  public OpLogCorruptException(long index, Path file, String what) {
    super("op log corrupt at index " + index + " in " + file + ": " + what);
    this.index = index;
    this.file = file;
  }

  /** The first index that cannot be read. */
  public long index() {
    return index;
  }

  /** The file that holds, or should hold, that index. */
  public Path file() {
    return file;
  }
}
