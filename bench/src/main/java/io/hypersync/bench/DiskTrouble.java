package io.hypersync.bench;

import io.hypersync.wire.admin.UserError;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** What a run says that the machine does not let go on: a full disk, a folder that is not ours. */
final class DiskTrouble {
  private DiskTrouble() {}

  /**
   * A sentence for the user.
   *
   * @param folder where the run had its files
   * @throws IOException the failure itself, if a thread of ours failed by an error of its own: no
   *     user can do anything about that
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

  /** Some of these exceptions say no more than the file's name. */
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
