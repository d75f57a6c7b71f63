package io.hypersync.leader.hazard;

import java.io.IOException;

/** Stores what agents have done lately beside a snapshot. */
@FunctionalInterface
public interface WindowStore {
  /** Stores nothing. */
  WindowStore NONE = _ -> {};

  /**
   * Stores a window; durable when it returns.
   *
   * @param image of the entry that a snapshot is about to be taken of
   * @throws IOException if it cannot be stored
   */
  void write(TouchWindow.Image image) throws IOException;
}
