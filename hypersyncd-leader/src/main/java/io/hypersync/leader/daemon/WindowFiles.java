package io.hypersync.leader.daemon;

import io.hypersync.leader.hazard.TouchWindow;
import io.hypersync.leader.hazard.WindowCodec;
import io.hypersync.leader.hazard.WindowStore;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.runtime.file.FileProblems;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What agents had done lately, beside each of the newest snapshots: {@code windows/<index>} in the
 * leader's state directory. It is durable before its snapshot is, so a leader that starts from a
 * snapshot knows what the one that has taken it knew. Without the file it knows less, and says so:
 * nothing but hazards rests on it.
 */
public final class WindowFiles implements WindowStore {
  private static final Logger LOG = LoggerFactory.getLogger(WindowFiles.class);
  private static final String NAME = "windows";

  /** A start may have to begin with an older snapshot than the newest one. */
  private static final int KEPT = 4;

  /** Twice as much as a window with the longest names takes. */
  private static final long MAX_BYTES = 64L << 20;

  private final Path directory;

  /** The files of a state directory. */
  public WindowFiles(Path stateDirectory) {
    this.directory = stateDirectory.resolve(NAME);
  }

  /** Removes old ones, too. */
  @Override
  public void write(TouchWindow.Image image) throws IOException {
    DurableFiles.createDirectories(directory);
    DurableFiles.replace(file(image.index()), WindowCodec.encode(image));
    List<Long> known = indexes();
    int end = known.indexOf(image.index()) + 1; // what is behind it is of a log that was cut
    for (int i = 0; i < known.size(); i++) {
      if (i < end - KEPT || i >= end) {
        Files.deleteIfExists(file(known.get(i)));
      }
    }
  }

  private List<Long> indexes() throws IOException {
    List<Long> indexes = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        Long index = index(String.valueOf(file.getFileName()));
        if (index != null) {
          indexes.add(index);
        }
      }
    }
    indexes.sort(Comparator.naturalOrder());
    return indexes;
  }

  private static @Nullable Long index(String name) {
    try {
      return Long.valueOf(name);
    } catch (NumberFormatException e) {
      return null; // not one of these
    }
  }

  /**
   * What was known behind an entry. If that cannot be read, nothing is, and the log says so.
   *
   * @param root of the state behind it
   */
  public TouchWindow read(long index, Hash root) {
    if (index == 0) {
      return new TouchWindow();
    }
    String why;
    try {
      Path file = file(index);
      if (Files.size(file) > MAX_BYTES) {
        throw new DecodeException("a file of " + Files.size(file) + " bytes");
      }
      TouchWindow.Image image = WindowCodec.decode(Files.readAllBytes(file));
      if (image.index() == index && Objects.equals(image.root(), root)) {
        return TouchWindow.of(image);
      }
      why = "it is of another history";
    } catch (NoSuchFileException e) {
      why = "there is none";
    } catch (IOException e) {
      why = FileProblems.describe(e);
    } catch (DecodeException e) {
      why = String.valueOf(e.getMessage());
    }
    LOG.warn(
        "what agents did before entry {} is not known ({}/{}: {}): hazards of new changes with that"
            + " are not told",
        index,
        NAME,
        index,
        why);
    return new TouchWindow();
  }

  private Path file(long index) {
    return directory.resolve(Long.toString(index));
  }
}
