package io.hypersync.leader.oplog.chronicle;

import io.hypersync.runtime.file.DurableFiles;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The mark of an unfinished cut of the log ({@link LogCut}). While its file is in the state
 * directory, no leader starts; a repeated cut goes on with the same folders.
 *
 * <pre>
 * hypersync cut 2
 * after 41372
 * segments cut/after-41372
 * trace cut/after-41372.trace
 * </pre>
 *
 * <p>Paths are URIs, relative to the state directory if they are in it. The last line is missing if
 * no trace was made. Version 1 had only the number. The file may be the mark of a conversion
 * instead ({@link ConversionMark}).
 *
 * @param after the last entry that stays in the log
 * @param segments the folder for removed segments, on the filesystem of the log
 * @param trace the file to which the whole log was exported before; null if there is none, or it is
 *     not known
 */
public record CutMark(long after, Path segments, @Nullable Path trace) {
  private static final String NAME = "cut.unfinished";
  private static final String VERSION = "hypersync cut 2";
  private static final String AFTER = "after ";
  private static final String SEGMENTS = "segments ";
  private static final String TRACE = "trace ";

  /** The file of the mark; {@link ConversionMark} has the same one. */
  static Path file(Path stateDir) {
    return stateDir.resolve(NAME);
  }

  /**
   * Reads the mark in a state directory; empty if there is none.
   *
   * @throws IOException if it cannot be read, or is the mark of an unfinished conversion
   */
  static Optional<CutMark> read(Path stateDir) throws IOException {
    Path file = file(stateDir);
    try {
      List<String> lines = Files.readAllLines(file);
      if (ConversionMark.isMark(lines)) {
        throw new IOException("a conversion of the log was interrupted: ./hypersync convert");
      }
      return Optional.of(parsed(stateDir, lines));
    } catch (NoSuchFileException none) {
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      throw new IOException("what is in " + file + " says of no cut", e);
    }
  }

  private static CutMark parsed(Path stateDir, List<String> lines) {
    if (lines.size() == 1) {
      long after = Long.parseLong(lines.getFirst().strip());
      return new CutMark(after, stateDir.resolve("cut/after-" + after), null);
    }
    if (lines.size() < 3 || lines.size() > 4 || !lines.getFirst().equals(VERSION)) {
      throw new IllegalArgumentException("not a mark of version 2");
    }
    return new CutMark(
        Long.parseLong(value(lines.get(1), AFTER)),
        path(stateDir, value(lines.get(2), SEGMENTS)),
        lines.size() == 3 ? null : path(stateDir, value(lines.get(3), TRACE)));
  }

  private static String value(String line, String key) {
    if (!line.startsWith(key)) {
      throw new IllegalArgumentException("no line of " + key);
    }
    return line.substring(key.length());
  }

  private static Path path(Path stateDir, String text) {
    return Path.of(stateDir.toUri().resolve(text));
  }

  /** Writes the mark; it is on stable storage on return. */
  void write(Path stateDir) throws IOException {
    StringBuilder text = new StringBuilder();
    text.append(VERSION).append('\n');
    text.append(AFTER).append(after).append('\n');
    text.append(SEGMENTS).append(relative(stateDir, segments)).append('\n');
    if (trace != null) {
      text.append(TRACE).append(relative(stateDir, trace)).append('\n');
    }
    DurableFiles.replace(
        file(stateDir), text.toString(), PosixFilePermissions.fromString("rw-------"));
  }

  private static URI relative(Path stateDir, Path path) {
    return stateDir.toUri().relativize(path.toUri());
  }

  /** Removes the mark durably, so that a leader may start again. */
  static void remove(Path stateDir) throws IOException {
    Files.deleteIfExists(file(stateDir));
    DurableFiles.syncDirectory(stateDir);
  }
}
