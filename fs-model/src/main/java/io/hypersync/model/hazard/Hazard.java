package io.hypersync.model.hazard;

import io.hypersync.model.id.NodeId;

/**
 * A conflict of an entry with what another agent has done or holds (hypersync.md 11), or an advice
 * for its author.
 */
public sealed interface Hazard {
  /** The longest path, in bytes: PATH_MAX without the NUL. */
  int MAX_PATH_BYTES = 4_095;

  /** What kind of conflict. */
  HazardKind kind();

  /** The file or directory that the entry changes. */
  NodeId node();

  /**
   * The name by which the call has changed it, from the workspace's root and without a slash before
   * it; empty if it had none or it is not known; must not be changed.
   */
  byte[] path();

  /**
   * A conflict with an earlier entry.
   *
   * @param conflictsWith index of the earlier entry, at least 1
   * @param other who made the earlier call
   */
  record Overlap(HazardKind kind, long conflictsWith, Author other, NodeId node, byte[] path)
      implements Hazard {
    /**
     * Checks the ranges above.
     *
     * @throws IllegalArgumentException if the index is below 1, the path too long, or the kind not
     *     one of overlaps
     */
    public Overlap {
      if (!kind.isOverlap()) {
        throw new IllegalArgumentException("an overlap of kind " + kind);
      }
      if (conflictsWith < 1) {
        throw new IllegalArgumentException("a conflict with entry " + conflictsWith);
      }
      requireShort(path);
    }
  }

  /**
   * A conflict with a reservation that another agent holds (hypersync.md 10.3). The holder is known
   * by its name alone: a reservation is not made on a worker.
   */
  record Reserved(HazardKind kind, Holder holder, NodeId node, byte[] path) implements Hazard {
    /**
     * Checks the ranges above.
     *
     * @throws IllegalArgumentException if the path is too long, or the kind not one of reservations
     */
    public Reserved {
      if (!kind.isOfReservations()) {
        throw new IllegalArgumentException("a reservation and the kind " + kind);
      }
      requireShort(path);
    }
  }

  /** Something about the entry alone. */
  record Advice(HazardKind kind, NodeId node, byte[] path) implements Hazard {
    /**
     * Checks the ranges above.
     *
     * @throws IllegalArgumentException if the path is too long, or the kind no advice
     */
    public Advice {
      if (!kind.isAdvice()) {
        throw new IllegalArgumentException("an advice and the kind " + kind);
      }
      requireShort(path);
    }
  }

  private static void requireShort(byte[] path) {
    if (path.length > MAX_PATH_BYTES) {
      throw new IllegalArgumentException("a path of " + path.length + " bytes");
    }
  }
}
