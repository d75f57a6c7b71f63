package io.hypersync.worker.port;

import io.hypersync.model.trie.PageSource;
import io.hypersync.snapshot.Snapshot;

/** What the install of a leader's snapshot needs besides chunks; pages are read from the store. */
public interface InstallPort extends PageSource {
  /**
   * All pages of a snapshot are in the store. The agent has stopped: its parts are to be closed,
   * the snapshot made durable, verified and put into the catalog, and other parts begin with it.
   */
  void received(Snapshot snapshot);

  /**
   * Ends the worker with an error.
   *
   * @param hint what the operator can do
   */
  void end(String why, String hint);
}
