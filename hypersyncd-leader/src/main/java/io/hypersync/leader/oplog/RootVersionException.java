package io.hypersync.leader.oplog;

import io.hypersync.model.trie.RootVersion;
import java.io.IOException;
import java.io.Serial;
import java.nio.file.Path;

/**
 * The log's Merkle roots have another version than the one asked for, or an unknown one. Nothing is
 * wrong with the log, and nothing was changed.
 */
public final class RootVersionException extends IOException {
  @Serial private static final long serialVersionUID = 1;

  private final int found;

  /**
   * Names both versions.
   *
   * @param log the log's directory
   * @param found {@link RootVersion#code} of the log's roots, perhaps of a later release
   */
  public RootVersionException(Path log, int found, RootVersion wanted) {
    super(
        "the log in "
            + log
            + " has Merkle roots of version "
            + found
            + ", this program uses version "
            + wanted.code());
    this.found = found;
  }

  /** Whether the log is of an earlier version, which can be converted. */
  public boolean isOlder() {
    return found < RootVersion.LATEST.code();
  }
}
