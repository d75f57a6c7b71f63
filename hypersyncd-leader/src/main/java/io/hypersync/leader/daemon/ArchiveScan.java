package io.hypersync.leader.daemon;

import io.hypersync.leader.reservation.ArchiveFiles;
import io.hypersync.leader.reservation.Reservation;
import io.hypersync.leader.reservation.ReservationRecord;
import io.hypersync.runtime.file.FileProblems;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What the files of an archive say, {@code projects/<project>/file_reservations/*.json}. Each file
 * is read once, until its time or size is another one. The archive itself may be named by a
 * symbolic link; no link inside of it is followed. Used on one thread.
 */
final class ArchiveScan {
  static final String PROJECTS = "projects";
  static final String RESERVATIONS = "file_reservations";

  /** The most files that are read; Agent Mail removes none, so there are thousands. */
  static final int MOST_FILES = 200_000;

  /** The most text of reservations that is kept, in bytes; more is not read. */
  static final long MOST_TEXT_BYTES = 64L << 20;

  /** The most folders of projects that are looked into. */
  static final int MOST_PROJECTS = 2_000;

  /** How often a file that makes no sense is read before it counts as damaged. */
  static final int ATTEMPTS = 4;

  private final Path root;
  private final Consumer<Path> onDirectory;
  private final Map<String, Folder> folders = new HashMap<>();
  private long unread;
  private long textBytes;

  /** What has ended before is kept without its text; in nanoseconds since 1970. */
  private long endedNs;

  /**
   * Nothing was looked at yet.
   *
   * @param onDirectory called with each directory before it is looked into
   */
  ArchiveScan(Path root, Consumer<Path> onDirectory) {
    this.root = root;
    this.onDirectory = onDirectory;
  }

  /** The files of one project. */
  private static final class Folder {
    final Map<String, KnownFile> files = new HashMap<>();
    private @Nullable List<Reservation> reservations;

    void put(String name, KnownFile file) {
      files.put(name, file);
      reservations = null;
    }

    void remove(String name) {
      files.remove(name);
      reservations = null;
    }

    /** Keeps nothing but the numbers of what has ended. */
    void forget(long expiredNs) {
      files.replaceAll(
          (_, file) -> {
            if (file.record() instanceof ReservationRecord.Held(Reservation held)
                && !held.isActive(expiredNs)) {
              reservations = null;
              return file.saying(new ReservationRecord.Released(held.id()));
            }
            return file;
          });
    }

    long textBytes() {
      return files.values().stream().mapToLong(file -> ArchiveScan.textBytes(file.record())).sum();
    }

    void keepOnly(Set<String> names) {
      if (files.keySet().retainAll(names)) {
        reservations = null;
      }
    }

    List<Reservation> reservations() {
      List<Reservation> found = reservations;
      if (found == null) {
        Map<String, ReservationRecord> records = new HashMap<>();
        files.forEach((name, file) -> records.put(name, file.record()));
        found = ArchiveFiles.reservations(records);
        reservations = found;
      }
      return found;
    }
  }

  /**
   * A file as it was read.
   *
   * @param record what it says; if it makes no sense, what it has said before
   * @param failures how often it was read since without making sense
   */
  private record KnownFile(long modifiedNs, long size, ReservationRecord record, int failures) {
    KnownFile saying(ReservationRecord other) {
      return new KnownFile(modifiedNs, size, other, failures);
    }

    boolean isUnfinished() {
      return failures > 0 && failures < ATTEMPTS;
    }

    boolean isDamaged() {
      return failures >= ATTEMPTS;
    }
  }

  /**
   * Looks at everything.
   *
   * @param expiredNs what has ended at this time matters no more, in nanoseconds since 1970
   * @throws IOException if the archive, or a part of it, cannot be read; what was known of that
   *     part stays
   */
  void all(long expiredNs) throws IOException {
    endedNs = expiredNs;
    IOException problem = null;
    unread = 0;
    folders.values().forEach(folder -> folder.forget(expiredNs));
    textBytes = folders.values().stream().mapToLong(Folder::textBytes).sum();
    onDirectory.accept(root);
    try (DirectoryStream<Path> top = Files.newDirectoryStream(root)) {
      Set<String> projects = new HashSet<>();
      try (SecureDirectoryStream<Path> in = open(secure(top), PROJECTS)) {
        onDirectory.accept(root.resolve(PROJECTS));
        for (Path entry : in) {
          String project = entry.getFileName().toString();
          if (projects.size() == MOST_PROJECTS) {
            unread++;
          } else {
            try {
              if (project(in, project)) {
                projects.add(project);
              }
            } catch (ClosedByInterruptException e) {
              throw e;
            } catch (IOException e) {
              projects.add(project);
              problem = e;
            }
          }
        }
      } catch (NoSuchFileException e) {
        // Nobody has a project yet.
      }
      folders.keySet().retainAll(projects);
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    if (problem != null) {
      throw problem;
    }
  }

  /** Whether a project has a folder of reservations. */
  private boolean project(SecureDirectoryStream<Path> in, String project) throws IOException {
    Path at = root.resolve(PROJECTS).resolve(project);
    if (!isDirectory(in, project)) {
      return false;
    }
    try (SecureDirectoryStream<Path> folder = open(in, project)) {
      onDirectory.accept(at);
      if (!isDirectory(folder, RESERVATIONS)) {
        return false;
      }
      try (SecureDirectoryStream<Path> files = open(folder, RESERVATIONS)) {
        onDirectory.accept(at.resolve(RESERVATIONS));
        readAll(files, folders.computeIfAbsent(project, _ -> new Folder()));
        return true;
      }
    } catch (NoSuchFileException | NotDirectoryException e) {
      return false; // it was there a moment ago
    }
  }

  private void readAll(SecureDirectoryStream<Path> files, Folder folder) throws IOException {
    int others = files() - folder.files.size();
    Set<String> seen = new HashSet<>();
    try {
      for (Path entry : files) {
        String name = entry.getFileName().toString();
        if (!ArchiveFiles.isReservation(name)) {
          continue;
        }
        if (others + seen.size() >= MOST_FILES) {
          unread++;
        } else if (read(files, name, folder)) {
          seen.add(name);
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    folder.keepOnly(seen);
  }

  /**
   * Looks at one file again, of which something has told that it is another one now.
   *
   * @throws IOException if its folder cannot be read
   */
  void one(String project, String name, long expiredNs) throws IOException {
    endedNs = expiredNs;
    Folder known = folders.get(project);
    if (known == null || !ArchiveFiles.isReservation(name)) {
      return;
    }
    if (!known.files.containsKey(name) && files() >= MOST_FILES) {
      unread++;
      return;
    }
    try (DirectoryStream<Path> top = Files.newDirectoryStream(root);
        SecureDirectoryStream<Path> projects = open(secure(top), PROJECTS);
        SecureDirectoryStream<Path> folder = open(projects, project);
        SecureDirectoryStream<Path> files = open(folder, RESERVATIONS)) {
      if (!read(files, name, known)) {
        known.remove(name);
      }
    } catch (NoSuchFileException | NotDirectoryException e) {
      // The folder is gone, and the next look at everything sees that.
    }
  }

  /**
   * Reads files again that have made no sense so far.
   *
   * @throws IOException if a folder cannot be read
   */
  void unfinished(long expiredNs) throws IOException {
    for (Map.Entry<String, Folder> folder : folders.entrySet()) {
      List<String> names = new ArrayList<>();
      folder
          .getValue()
          .files
          .forEach(
              (name, file) -> {
                if (file.isUnfinished()) {
                  names.add(name);
                }
              });
      for (String name : names) {
        one(folder.getKey(), name, expiredNs);
      }
    }
  }

  /** Whether there are files that {@link #unfinished} would read. */
  boolean hasUnfinished() {
    return folders.values().stream()
        .anyMatch(folder -> folder.files.values().stream().anyMatch(KnownFile::isUnfinished));
  }

  /** Whether there is such a file. */
  private boolean read(SecureDirectoryStream<Path> in, String name, Folder folder)
      throws IOException {
    BasicFileAttributes found = attributes(in, name);
    if (found == null || !found.isRegularFile()) {
      return false;
    }
    KnownFile old = folder.files.get(name);
    long modifiedNs = found.lastModifiedTime().to(TimeUnit.NANOSECONDS);
    boolean isSame = old != null && old.modifiedNs() == modifiedNs && old.size() == found.size();
    if (isSame && !old.isUnfinished()) {
      return true;
    }
    ReservationRecord read;
    try {
      read = kept(ReservationRecord.read(content(in, name)));
    } catch (NoSuchFileException e) {
      return false;
    } catch (ClosedByInterruptException e) {
      throw e;
    } catch (IOException e) {
      read = new ReservationRecord.Malformed(FileProblems.describe(e));
    }
    if (read instanceof ReservationRecord.Malformed) {
      folder.put(
          name,
          new KnownFile(
              modifiedNs,
              found.size(),
              old == null ? read : old.record(),
              isSame ? old.failures() + 1 : 1));
    } else {
      folder.put(name, new KnownFile(modifiedNs, found.size(), read, 0));
    }
    return true;
  }

  /**
   * What is kept of a record: nothing of one that has expired, and not more than there is room for.
   */
  private ReservationRecord kept(ReservationRecord record) {
    if (!(record instanceof ReservationRecord.Held(Reservation held))) {
      return record;
    }
    if (!held.isActive(endedNs)) {
      return new ReservationRecord.Released(held.id());
    }
    long bytes = textBytes(record);
    if (textBytes + bytes > MOST_TEXT_BYTES) {
      unread++;
      return new ReservationRecord.Unusable("too much text in all reservations");
    }
    textBytes += bytes;
    return record;
  }

  private static long textBytes(ReservationRecord record) {
    return record instanceof ReservationRecord.Held(Reservation held)
        ? 2L * (held.project().length() + held.generation().length())
            + 16L * held.holder().pattern().length() // also as a pattern that can be compared
        : 0;
  }

  /** What all files say together, in no order. */
  List<Reservation> reservations() {
    List<Reservation> all = new ArrayList<>();
    folders.values().forEach(folder -> all.addAll(folder.reservations()));
    return all;
  }

  /** How many files are known. */
  int files() {
    return folders.values().stream().mapToInt(folder -> folder.files.size()).sum();
  }

  /** How many files make no sense, whatever they have said before. */
  long damaged() {
    return count(KnownFile::isDamaged);
  }

  /** How many files tell of what is no file of a project. */
  long unusable() {
    return count(file -> file.record() instanceof ReservationRecord.Unusable);
  }

  /** How many files and folders are not looked at because there are too many. */
  long unread() {
    return unread;
  }

  private long count(Predicate<KnownFile> which) {
    return folders.values().stream()
        .mapToLong(folder -> folder.files.values().stream().filter(which).count())
        .sum();
  }

  private static SecureDirectoryStream<Path> secure(DirectoryStream<Path> stream)
      throws IOException {
    if (stream instanceof SecureDirectoryStream<Path> secure) {
      return secure;
    }
    throw new IOException("this filesystem cannot be read without following links");
  }

  private static SecureDirectoryStream<Path> open(SecureDirectoryStream<Path> in, String name)
      throws IOException {
    return in.newDirectoryStream(Path.of(name), LinkOption.NOFOLLOW_LINKS);
  }

  private static boolean isDirectory(SecureDirectoryStream<Path> in, String name)
      throws IOException {
    BasicFileAttributes found = attributes(in, name);
    return found != null && found.isDirectory();
  }

  private static @Nullable BasicFileAttributes attributes(
      SecureDirectoryStream<Path> in, String name) throws IOException {
    try {
      return in.getFileAttributeView(
              Path.of(name), BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
          .readAttributes();
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /** At most one byte more than a record may have. */
  private static byte[] content(SecureDirectoryStream<Path> in, String name) throws IOException {
    ByteBuffer content = ByteBuffer.allocate(ReservationRecord.MAX_BYTES + 1);
    try (SeekableByteChannel file =
        in.newByteChannel(
            Path.of(name), Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
      while (content.hasRemaining() && file.read(content) >= 0) {
        // until its end
      }
    }
    return Arrays.copyOf(content.array(), content.position());
  }
}
