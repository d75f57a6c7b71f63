package io.hypersync.snapshot;

import io.hypersync.model.codec.DecodeException;
import io.hypersync.runtime.file.DurableFiles;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A catalog as a directory with one file per snapshot. A file's name is the index in 20 digits and
 * {@code .snapshot}; its content is {@link Snapshot#encode}. Not thread-safe, apart from {@link
 * #indexes} and {@link #strays}.
 */
public final class SnapshotDirectory implements SnapshotCatalog {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotDirectory.class);
  private static final Pattern DIGITS = Pattern.compile("[0-9]{20}");
  private static final String SUFFIX = ".snapshot";

  /** More than any snapshot takes: a larger file is none. */
  private static final long MAX_FILE_BYTES = 1 << 20;

  /** What {@link #setAside} adds to the name of the directory. */
  private static final String ASIDE = ".aside";

  private final Path directory;

  private SnapshotDirectory(Path directory) {
    this.directory = directory;
  }

  /** Opens the catalog of a replica, which is created if it does not exist. */
  public static SnapshotDirectory of(Path stateDirectory) throws IOException {
    return open(stateDirectory.resolve("snapshots"));
  }

  /** Opens the catalog of the states of the past that a leader has stored for mounts. */
  public static SnapshotDirectory ofPast(Path stateDirectory) throws IOException {
    return open(stateDirectory.resolve("past"));
  }

  /** Opens the catalog in a directory, which is created if it does not exist. */
  static SnapshotDirectory open(Path directory) throws IOException {
    DurableFiles.createDirectories(directory);
    return new SnapshotDirectory(directory);
  }

  @Override
  public List<Snapshot> list() throws IOException {
    List<Snapshot> found = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
      for (Path file : files) {
        try {
          found.add(read(file));
        } catch (DecodeException | IOException e) {
          LOG.warn("{} cannot be used: {}", file, e.getMessage());
        }
      }
    }
    found.sort(Comparator.comparingLong(Snapshot::index));
    return found;
  }

  private Snapshot read(Path file) throws IOException, DecodeException {
    if (Files.size(file) > MAX_FILE_BYTES) {
      throw new DecodeException("it is larger than a snapshot can be");
    }
    Snapshot snapshot = Snapshot.decode(Files.readAllBytes(file));
    if (!file.equals(file(snapshot.index()))) {
      throw new DecodeException("it is the snapshot of entry " + snapshot.index());
    }
    return snapshot;
  }

  @Override
  public List<Long> indexes() throws IOException {
    return named().stream()
        .mapToLong(SnapshotDirectory::index)
        .filter(i -> i >= 0)
        .boxed()
        .toList();
  }

  @Override
  public List<String> strays() throws IOException {
    return named().stream().filter(file -> index(file) < 0).map(Path::toString).toList();
  }

  /** The files whose names end as those of snapshots do. */
  private List<Path> named() throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
      files.forEach(found::add);
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return found;
  }

  /** The index that a file's name says; -1 if it is the name of no snapshot. */
  private static long index(Path file) {
    String name = file.getFileName().toString();
    String digits = name.substring(0, name.length() - SUFFIX.length());
    try {
      return DIGITS.matcher(digits).matches() ? Long.parseLong(digits) : -1;
    } catch (NumberFormatException tooLarge) {
      return -1;
    }
  }

  @Override
  public void put(Snapshot snapshot) throws IOException {
    DurableFiles.replace(file(snapshot.index()), snapshot.encode());
  }

  @Override
  public void remove(long index) throws IOException {
    if (Files.deleteIfExists(file(index))) {
      DurableFiles.syncDirectory(directory);
    }
  }

  @Override
  public void setAside() throws IOException {
    Path aside = directory.resolveSibling(directory.getFileName() + ASIDE);
    DurableFiles.deleteTree(aside);
    Files.move(directory, aside, StandardCopyOption.ATOMIC_MOVE);
    DurableFiles.syncDirectory(directory.getParent());
    DurableFiles.createDirectories(directory);
    LOG.warn("the snapshots were moved to {}", aside);
  }

  private Path file(long index) {
    return directory.resolve(String.format(Locale.ROOT, "%020d", index) + SUFFIX);
  }
}
