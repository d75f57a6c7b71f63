package io.hypersync.worker.lock;

import io.hypersync.model.errno.Errno;
import io.hypersync.wire.message.LeaderMessage.Holder;

/** How a call ends, exactly once, on the agent's thread; must not block. */
public interface LockEnding {
  /** Granted or unlocked; for a test: nobody is in the way. */
  void granted();

  /** Somebody is in the way. */
  void denied(Holder holder);

  /** It has not happened, and will not. */
  void failed(Errno errno);
}
