package io.hypersync.worker.port;

import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.trie.PageSource;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.worker.install.InstallException;

/** What the install of a leader's snapshot needs besides chunks; pages are read from the store. */
public interface InstallPort extends PageSource {
  /**
   * The leader has offered a snapshot. The agent has stopped: its parts are to be closed, and other
   * parts begin with the snapshot. Most of its pages are not here.
   */
  void received(Snapshot snapshot);

  /**
   * All pages of the snapshot are in the store. It is to be made durable, verified and put into the
   * catalog. The agent is told of it by {@code installed} or {@code installFailed}.
   */
  void install(Snapshot snapshot);

  /**
   * Reads the manifest of a snapshot that is in the catalog: the replica goes on from its state,
   * whose pages are read when they are needed.
   *
   * @throws InstallException if it cannot be read
   */
  Manifest begin(Snapshot snapshot) throws InstallException;

  /**
   * Ends the worker with an error.
   *
   * @param hint what the operator can do
   */
  void end(String why, String hint);
}
