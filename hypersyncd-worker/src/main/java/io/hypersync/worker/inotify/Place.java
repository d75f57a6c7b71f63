package io.hypersync.worker.inotify;

import io.hypersync.model.id.Name;

/**
 * A name in a directory of the mount.
 *
 * @param directory its inode number, or {@link #NOWHERE}
 * @param name the name in it
 */
public record Place(long directory, Name name) {
  /**
   * The number of a directory that only shadow calls ever see. It stands for directories that
   * nobody watches: they need not be found, and nothing in them is touched. Numbers above it are
   * those of stand-ins; the numbers of real nodes never get here.
   */
  public static final long NOWHERE = 1L << 62;

  private static final Name OLD = Name.of("old");
  private static final Name NEW = Name.of("new");

  /** Where something comes from that nobody watches. */
  static Place outOfNowhere() {
    return new Place(NOWHERE, OLD);
  }

  /** Where something goes to that nobody watches. */
  static Place intoNowhere() {
    return new Place(NOWHERE, NEW);
  }

  /** Whether a process of this machine could see it. */
  public boolean isReal() {
    return directory != NOWHERE;
  }
}
