package io.hypersync.wire.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Files and directories that are on stable storage when a method returns. A sync of a file makes
 * its content durable, and not its name: that takes a sync of its directory.
 */
public final class DurableFiles {
  /** A new file that its owner alone may read and write. */
  public static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  /** A new directory that its owner alone may enter. */
  public static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY_DIRECTORY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private static final String DEVICE = "unix:dev";

  private DurableFiles() {}

  /**
   * Writes a file as a whole or not at all, also if the power fails, over one that is there. Its
   * directory is created if need be; its permissions are what the process gives to new files.
   *
   * @throws IOException if it cannot be written: what was there before is there still. Or if its
   *     directory cannot be synced: the new content is there already, and after a power failure it
   *     is the one or the other
   */
  public static void replace(Path file, String text) throws IOException {
    write(file, text, null);
  }

  /** The same with these permissions, which the file has before anybody can read it. */
  public static void replace(Path file, String text, Set<PosixFilePermission> permissions)
      throws IOException {
    write(file, text, permissions);
  }

  /**
   * Creates a directory and those above it as far as they are not there, and makes the names of all
   * of them durable. A directory that is there may be so since a moment ago only, and its name not
   * durable yet, so the directories above are synced in any case, up to where its filesystem is
   * mounted; those that may not be read belong to somebody else and are older.
   *
   * @throws IOException if that cannot be done
   */
  public static void createDirectories(Path directory, FileAttribute<?>... attributes)
      throws IOException {
    Path there = directory.toAbsolutePath();
    while (there != null && !Files.exists(there)) {
      there = there.getParent();
    }
    Path oldest = there == null ? null : there.toRealPath();
    Files.createDirectories(directory, attributes);
    Path below = directory.toRealPath();
    Path above = below.getParent();
    while (above != null && isOnSameFilesystem(above, below)) {
      try {
        syncDirectory(above);
      } catch (AccessDeniedException denied) {
        if (oldest != null && above.startsWith(oldest)) {
          throw denied; // it holds a name that was made here
        }
        return;
      }
      below = above;
      above = above.getParent();
    }
  }

  /** Makes the names in a directory durable. */
  public static void syncDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /**
   * Deletes a directory and what is in it, without following symbolic links; one that does not
   * exist is fine. Nothing of that is made durable: sync the directory above for it.
   *
   * @throws IOException if something cannot be deleted; some of it may be gone then
   */
  public static void deleteTree(Path directory) throws IOException {
    try {
      Files.walkFileTree(
          directory,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              Files.deleteIfExists(file);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure)
                throws IOException {
              if (failure != null) {
                throw failure;
              }
              Files.deleteIfExists(visited);
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (NoSuchFileException gone) {
      return;
    }
  }

  private static boolean isOnSameFilesystem(Path one, Path other) throws IOException {
    return Files.getAttribute(one, DEVICE).equals(Files.getAttribute(other, DEVICE));
  }

  private static void write(Path file, String text, @Nullable Set<PosixFilePermission> permissions)
      throws IOException {
    Path absolute = file.toAbsolutePath();
    Path directory = absolute.getParent();
    if (directory == null) {
      throw new IOException(file + " is not the name of a file");
    }
    createDirectories(directory);
    // Nobody else's: two may write the same file at once, and each as a whole.
    String unique = Long.toHexString(ThreadLocalRandom.current().nextLong());
    Path temporary = directory.resolve("." + absolute.getFileName() + "." + unique + ".tmp");
    try {
      FileAttribute<?>[] attributes =
          permissions == null ? new FileAttribute<?>[0] : new FileAttribute<?>[] {OWNER_ONLY};
      try (FileChannel channel =
          FileChannel.open(
              temporary,
              Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
              attributes)) {
        ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
        while (bytes.hasRemaining()) {
          var _ = channel.write(bytes);
        }
        if (permissions != null) {
          Files.setPosixFilePermissions(temporary, permissions);
        }
        channel.force(true);
      }
      Files.move(temporary, absolute, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(temporary);
    }
    syncDirectory(directory);
  }
}
