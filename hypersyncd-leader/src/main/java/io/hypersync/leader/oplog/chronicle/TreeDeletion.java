package io.hypersync.leader.oplog.chronicle;

import io.hypersync.runtime.file.DurableFiles;
import java.io.IOException;
import java.nio.file.Path;

/** Deletes a directory and its contents; crash tests replace it. */
@FunctionalInterface
interface TreeDeletion {
  /** Deletes each file, then the directory. */
  TreeDeletion FILE_BY_FILE = DurableFiles::deleteTree;

  /**
   * Deletes a directory; returns when it is gone, also if it did not exist.
   *
   * @throws IOException if it is not gone; some of its files may be
   */
  void delete(Path directory) throws IOException;
}
