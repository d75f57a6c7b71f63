package io.hypersync.worker.port;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.state.FsState;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageSource;
import io.hypersync.snapshot.Snapshot;

/** What the install of a leader's snapshot needs besides chunks; pages are read from the store. */
public interface InstallPort extends PageSource {
  /** A port for workers that are offered none. */
  InstallPort NONE =
      new InstallPort() {
        @Override
        public byte[] get(Hash page) throws PageMissingException {
          throw new PageMissingException(page, "is missing");
        }

        @Override
        public void install(Snapshot snapshot, FsState like) {
          throw new IllegalStateException("this worker has no snapshots");
        }

        @Override
        public void end(String why, String hint) {
          throw new IllegalStateException(why);
        }
      };

  /**
   * Makes a snapshot durable, verifies it, and adds it to the catalog, off the agent's thread. Then
   * {@code WorkerAgent.snapshotInstalled} or {@code installFailed} is called, unless the worker
   * stops.
   *
   * @param snapshot all its pages are in the store
   * @param like a state of this worker: what it shares need not be read
   */
  void install(Snapshot snapshot, FsState like);

  /**
   * Ends the worker with an error.
   *
   * @param hint what the operator can do
   */
  void end(String why, String hint);
}
