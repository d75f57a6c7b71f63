package io.hypersync.runtime.file;

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
 * Writes files and directories that are durable when the method returns. Syncing a file makes its
 * content durable but not its name; that needs a sync of its directory, too.
 */
public final class DurableFiles {
  /** Mode 0600, for a new file. */
  public static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  /** Mode 0700, for a new directory. */
  public static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY_DIRECTORY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private static final String DEVICE = "unix:dev";

  private DurableFiles() {}

  /**
   * Writes a file atomically and durably, replacing an existing one: after a power failure it has
   * the old content or the new one, whole. Its directory is created if it is missing; its
   * permissions are the process's default for new files.
   *
   * @throws IOException if it cannot be written, in which case the old content is still there; or
   *     if its directory cannot be synced, in which case the new content is there, but a power
   *     failure may bring back the old one
   */
  public static void replace(Path file, String text) throws IOException {
    write(file, StandardCharsets.UTF_8.encode(text), null);
  }

  /** Like {@link #replace(Path, String)}, with bytes. */
  public static void replace(Path file, byte[] bytes) throws IOException {
    write(file, ByteBuffer.wrap(bytes), null);
  }

  /**
   * Like {@link #replace(Path, String)}, with these permissions. No other user can open the file
   * before it has them.
   */
  public static void replace(Path file, String text, Set<PosixFilePermission> permissions)
      throws IOException {
    write(file, StandardCharsets.UTF_8.encode(text), permissions);
  }

  /**
   * Creates a directory and its missing parents, and makes the names of all of them durable. An
   * existing directory may have been created a moment ago without a sync, so all directories above
   * are synced in any case, up to the filesystem's mount point. The sync stops at one that may not
   * be read and holds no name created here: it belongs to another user and is older.
   *
   * @throws IOException if a directory cannot be created, or one that holds a new name cannot be
   *     synced
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
          throw denied; // holds a name that was created here
        }
        return;
      }
      below = above;
      above = above.getParent();
    }
  }

  /** Syncs a directory, which makes the names in it durable. */
  public static void syncDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /**
   * Deletes a directory and everything in it without following symbolic links. Does nothing if it
   * does not exist. Not durable until the parent directory is synced.
   *
   * @throws IOException if something cannot be deleted; part of the tree may be gone then
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

  private static void write(
      Path file, ByteBuffer bytes, @Nullable Set<PosixFilePermission> permissions)
      throws IOException {
    Path absolute = file.toAbsolutePath();
    Path directory = absolute.getParent();
    if (directory == null) {
      throw new IOException(file + " is not the name of a file");
    }
    createDirectories(directory);
    // A unique name, so that two threads or processes may write the same file at once; one of the
    // contents wins, whole.
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
