package io.hypersync.bench;

import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Turns I/O failures that the user can fix into a {@link UserError}: a full disk, a directory
 * without permission.
 */
final class DiskTrouble {
  private DiskTrouble() {}

  /**
   * Returns an error for the user.
   *
   * @param folder where the run had its files
   * @throws IOException the failure itself, if a bug in a thread of the benchmark caused it: no
   *     user can fix that
   */
  static UserError of(IOException failure, Path folder) throws IOException {
    if (failure.getCause() instanceof RuntimeException) {
      throw failure;
    }
    return new UserError(
        "the benchmark cannot go on: " + reason(failure),
        "Is there room in "
            + folder
            + ", and may it be written?\nAnother folder, on another disk: --dir <dir>");
  }

  /** Returns the reason; the message of some of these exceptions is only the file's name. */
  private static String reason(IOException failure) {
    String said = Optional.ofNullable(failure.getMessage()).orElseGet(failure::toString);
    return switch (failure) {
      case AccessDeniedException _ -> said + ": permission denied";
      case FileAlreadyExistsException _ -> said + ": is there already";
      case NoSuchFileException _ -> said + ": no such file or directory";
      default -> said;
    };
  }
}
