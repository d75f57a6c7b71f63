package io.hypersync.leader.oplog.chronicle;

import io.hypersync.wire.file.DurableFiles;
import java.io.IOException;
import java.nio.file.Path;

/** Deletes a directory and what is in it; a seam for the crash tests. */
@FunctionalInterface
interface TreeDeletion {
  /** File by file, and the directory at the end. */
  TreeDeletion FILE_BY_FILE = DurableFiles::deleteTree;

  /**
   * Returns when the directory is gone; one that does not exist is fine.
   *
   * @throws IOException if it is not; some of its files may be gone
   */
  void delete(Path directory) throws IOException;
}
