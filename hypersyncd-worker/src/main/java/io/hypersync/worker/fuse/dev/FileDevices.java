package io.hypersync.worker.fuse.dev;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The device number of a file, found without a request to its filesystem, which may be dead or
 * hang.
 */
public final class FileDevices {
  private FileDevices() {}

  /**
   * The device number in the form of {@code mountinfo}, such as {@code 0:53}; empty if the file
   * does not exist or is not accessible. A link of {@code /proc/PID} at the end of the path is
   * followed.
   */
  public static Optional<String> of(Path path) {
    long device = Syscalls.deviceOf(path.toString());
    return device < 0
        ? Optional.empty()
        : Optional.of((device >>> Integer.SIZE) + ":" + (device & 0xFFFFFFFFL));
  }
}
