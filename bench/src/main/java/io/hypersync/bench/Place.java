package io.hypersync.bench;

import java.nio.file.Path;

/**
 * Where an operation is measured.
 *
 * @param kind what kind of filesystem this is
 * @param root a folder of its own there
 */
record Place(Kind kind, Path root) {
  /** What one has to do there for an operation to be durable. */
  enum Kind {
    /** A HyperSync mount: a mutating call returns when it is durable (hypersync.md 6.3). */
    HYPERSYNC("hypersync"),
    /** The leader's disk itself: fsync of the file, and of the directory if a name has changed. */
    PLAIN("plain");

    private final String label;

    Kind(String label) {
      this.label = label;
    }

    /** As it is called in JSON. */
    String label() {
      return label;
    }
  }

  /** Whether an operation is durable only after fsync. */
  boolean needsSync() {
    return kind == Kind.PLAIN;
  }
}
