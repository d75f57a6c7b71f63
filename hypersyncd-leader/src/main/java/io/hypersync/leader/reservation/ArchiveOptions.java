package io.hypersync.leader.reservation;

import java.util.List;

/**
 * Where reservations are read (hypersync.md 10.3).
 *
 * @param archive absolute path of the folder that Agent Mail keeps its files in; empty for none
 * @param mounts the absolute paths by which agents know the workspace, without a slash at the end
 */
public record ArchiveOptions(String archive, List<String> mounts) {
  /** No reservations are read. */
  public static final ArchiveOptions NONE = new ArchiveOptions("", List.of());

  /** Copies the list. */
  public ArchiveOptions {
    mounts = List.copyOf(mounts);
  }

  /** Whether there is an archive. */
  public boolean isOn() {
    return !archive.isEmpty();
  }
}
