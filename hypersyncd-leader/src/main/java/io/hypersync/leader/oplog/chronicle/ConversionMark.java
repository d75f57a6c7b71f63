package io.hypersync.leader.oplog.chronicle;

import io.hypersync.runtime.file.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * The mark of a conversion of the log whose directories are being renamed. While it is in the state
 * directory, no leader starts, and no cut.
 *
 * <p>It is in the file of a {@link CutMark}, with lines that are none of a cut. Leaders of earlier
 * releases know of no conversion, but do not start beside such a file either.
 *
 * <pre>
 * hypersync conversion 1
 * finish it: ./hypersync convert STATE_DIR
 * </pre>
 */
public final class ConversionMark {
  private static final String VERSION = "hypersync conversion 1";
  private static final String TEXT =
      VERSION + "\nfinish it: ./hypersync convert <this directory>\n";

  private ConversionMark() {}

  /** Whether the mark is in a state directory. */
  public static boolean isThere(Path stateDir) throws IOException {
    try {
      return isMark(Files.readAllLines(CutMark.file(stateDir)));
    } catch (NoSuchFileException none) {
      return false;
    }
  }

  /** Whether these lines of a mark are of a conversion. */
  static boolean isMark(List<String> lines) {
    return !lines.isEmpty() && lines.getFirst().equals(VERSION);
  }

  /** Writes the mark; it is on stable storage on return. There is no mark of a cut. */
  public static void write(Path stateDir) throws IOException {
    DurableFiles.replace(
        CutMark.file(stateDir), TEXT, PosixFilePermissions.fromString("rw-------"));
  }

  /** Removes the mark durably, if it is there. */
  public static void remove(Path stateDir) throws IOException {
    if (isThere(stateDir)) {
      CutMark.remove(stateDir);
    }
  }
}
