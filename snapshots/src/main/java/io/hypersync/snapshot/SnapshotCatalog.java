package io.hypersync.snapshot;

import java.io.IOException;
import java.util.List;

/**
 * The snapshots that a replica has. Each change is durable when the method returns, and atomic: a
 * crash leaves the state before it or the one after it. Methods block; one thread at a time.
 */
public interface SnapshotCatalog {
  /**
   * All snapshots, the oldest first. One whose record is damaged or cannot be read is left out, and
   * logged.
   */
  List<Snapshot> list() throws IOException;

  /**
   * The indexes of all snapshots, also of those whose records are damaged or cannot be read, in no
   * order. May be called on any thread.
   */
  List<Long> indexes() throws IOException;

  /**
   * What looks like the record of a snapshot and has the name of none, so that neither of the above
   * has it: somebody's copy, perhaps. For a person to read. May be called on any thread.
   */
  default List<String> strays() throws IOException {
    return List.of();
  }

  /**
   * Adds a snapshot; it replaces one of the same index. All its pages must be durable.
   *
   * @throws IOException if it cannot be written; then the catalog is as it was, or has it
   */
  void put(Snapshot snapshot) throws IOException;

  /**
   * Takes all snapshots out of the catalog. They stay on the disk, in place of those that were set
   * aside before.
   *
   * @throws IOException if that fails; then the catalog is as it was, or empty
   */
  void setAside() throws IOException;

  /** Removes the snapshot of an index, if there is one. Its pages stay until they are collected. */
  void remove(long index) throws IOException;
}
