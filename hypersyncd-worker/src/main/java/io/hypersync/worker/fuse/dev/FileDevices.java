package io.hypersync.worker.fuse.dev;

import java.nio.file.Path;
import java.util.Optional;

/** On which filesystem a file is, told without asking that filesystem: it may be dead, or hang. */
public final class FileDevices {
  private FileDevices() {}

  /**
   * The device number as {@code mountinfo} has it, such as {@code 0:53}; empty if there is no such
   * file, or it may not be looked at. A path that ends in a link of {@code /proc/PID} is followed.
   */
  public static Optional<String> of(Path path) {
    long device = Syscalls.deviceOf(path.toString());
    return device < 0
        ? Optional.empty()
        : Optional.of((device >>> Integer.SIZE) + ":" + (device & 0xFFFFFFFFL));
  }
}
