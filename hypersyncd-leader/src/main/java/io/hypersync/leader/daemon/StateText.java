package io.hypersync.leader.daemon;

import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.runtime.file.FileProblems;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A small text file of the leader's state directory; one that is damaged can be given up by a
 * rewind.
 */
final class StateText {
  private StateText() {}

  /**
   * Reads it.
   *
   * @param maxBytes no more is read
   * @param parser returns null for what is damaged
   * @param missing what counts if there is no file
   * @throws UserError if it cannot be read, or is damaged
   */
  static <T> T read(Path file, int maxBytes, Function<String, @Nullable T> parser, T missing) {
    try (InputStream in = Files.newInputStream(file)) {
      T read = parser.apply(new String(in.readNBytes(maxBytes), StandardCharsets.US_ASCII));
      if (read == null) {
        throw new UserError(
            file + " is damaged",
            "Restore it from a copy. If there is none, remove it, and start the leader with"
                + " --force-rewind <name>.");
      }
      return read;
    } catch (NoSuchFileException never) {
      return missing;
    } catch (IOException e) {
      throw unusable(file, e);
    }
  }

  /**
   * Writes it durably.
   *
   * @throws UserError if it cannot be written
   */
  static void replace(Path file, String text) {
    try {
      DurableFiles.replace(file, text, PosixFilePermissions.fromString("rw-------"));
    } catch (IOException e) {
      throw unusable(file, e);
    }
  }

  private static UserError unusable(Path file, IOException e) {
    return new UserError(
        "cannot use " + file + ": " + FileProblems.describe(e), FileProblems.hint(e, ""));
  }
}
