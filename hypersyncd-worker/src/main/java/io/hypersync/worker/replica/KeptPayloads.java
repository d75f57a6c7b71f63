package io.hypersync.worker.replica;

import io.hypersync.model.log.LogEntry;
import org.jspecify.annotations.Nullable;

/** The payloads of this worker's calls, which the leader does not send back with their entries. */
@FunctionalInterface
public interface KeptPayloads {
  /** No entry comes without its payload. */
  KeptPayloads NONE = _ -> null;

  /**
   * The payload of an entry that came without it; it must not be changed. Null if it is not here.
   */
  byte @Nullable [] of(LogEntry entry);
}
