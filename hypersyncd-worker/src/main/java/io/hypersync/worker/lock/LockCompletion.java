package io.hypersync.worker.lock;

import io.hypersync.model.errno.Errno;
import io.hypersync.wire.message.LeaderMessage.Holder;

/**
 * Receives the outcome of a lock call: exactly one of these is called, once, on the agent's thread.
 * Must not block.
 */
public interface LockCompletion {
  /** The lock was granted or released; for a test: no lock conflicts. */
  void granted();

  /** A lock of {@code holder} conflicts. */
  void denied(Holder holder);

  /** The call has failed, and has no effect later either. */
  void failed(Errno errno);
}
