package io.hypersync.worker.inotify;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.Name;

/**
 * A name in a directory of the mount.
 *
 * @param directory its inode number, or {@link #NOWHERE}
 * @param name the name in it
 */
public record NameInDirectory(InodeNo directory, Name name) {
  /**
   * Number of a directory that only shadow calls see. It stands in for all directories that are not
   * watched, which then need not be found and are not touched. Greater numbers are those of
   * stand-ins; inode numbers of real nodes never get this large.
   */
  public static final InodeNo NOWHERE = new InodeNo(1L << 62);

  private static final Name OLD = Name.of("old");
  private static final Name NEW = Name.of("new");

  /** The old name of something that is moved or removed out of an unwatched directory. */
  static NameInDirectory outOfNowhere() {
    return new NameInDirectory(NOWHERE, OLD);
  }

  /** The new name of something that is moved into an unwatched directory. */
  static NameInDirectory intoNowhere() {
    return new NameInDirectory(NOWHERE, NEW);
  }

  /** Whether the directory is one of the workspace, which processes can see. */
  public boolean isReal() {
    return !directory.equals(NOWHERE);
  }
}
