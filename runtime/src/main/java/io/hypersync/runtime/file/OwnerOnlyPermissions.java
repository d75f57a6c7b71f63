package io.hypersync.runtime.file;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the permissions of group and others from files and directories that hold secrets or
 * contents of a workspace. New ones are created without; this repairs those that an earlier version
 * or a copy has left open.
 *
 * <p>A directory is closed before it is read, so that no other user can change its content
 * meanwhile. Every entry is opened relative to its open directory, never through a symbolic link.
 */
public final class OwnerOnlyPermissions {
  /** All permissions except the owner's. */
  private static final Set<PosixFilePermission> OTHERS =
      EnumSet.complementOf(
          EnumSet.of(
              PosixFilePermission.OWNER_READ,
              PosixFilePermission.OWNER_WRITE,
              PosixFilePermission.OWNER_EXECUTE));

  private static final Logger LOG = LoggerFactory.getLogger(OwnerOnlyPermissions.class);
  private static final int MAX_ENTRIES = 200_000;
  private static final int MAX_DEPTH = 16;

  private final int maxEntries;
  private int seen;
  private int closed;

  private OwnerOnlyPermissions(int maxEntries) {
    this.maxEntries = maxEntries;
  }

  /**
   * Removes the permissions of group and others from the named entries of a directory, recursively.
   * The directory itself is closed, too, unless it contains anything else: then the user shares it
   * with other files, and both it and those keep their permissions. Entries whose name begins with
   * a dot are taken for temporary files and do not count.
   *
   * <p>Visits at most 200,000 entries, 16 levels deep; the rest stay as they are, below a closed
   * directory.
   *
   * @return how many files and directories were changed
   * @throws IOException if permissions cannot be read or changed
   */
  public static int repair(Path directory, Set<String> names) throws IOException {
    return repair(directory, names, MAX_ENTRIES);
  }

  static int repair(Path directory, Set<String> names, int maxEntries) throws IOException {
    Path real = directory.toRealPath();
    OwnerOnlyPermissions walk = new OwnerOnlyPermissions(maxEntries);
    try (DirectoryStream<Path> content = Files.newDirectoryStream(real)) {
      if (!(content instanceof SecureDirectoryStream<Path> opened)) {
        LOG.warn(
            "the permissions in {} cannot be looked at safely, and are left as they are", real);
        return 0;
      }
      List<Path> known = new ArrayList<>();
      boolean shared = false;
      for (Path entry : opened) {
        Path name = entry.getFileName();
        if (names.contains(name.toString())) {
          known.add(name);
        } else if (!name.toString().startsWith(".")) {
          shared = true;
        }
      }
      if (!shared) {
        walk.close(opened.getFileAttributeView(PosixFileAttributeView.class));
      }
      for (Path name : known) {
        walk.visit(opened, name, 1);
      }
    } catch (DirectoryIteratorException failure) {
      throw failure.getCause();
    }
    if (walk.closed > 0) {
      LOG.info(
          "{} files and folders in {} were open to other users, and no more", walk.closed, real);
    }
    return walk.closed;
  }

  private void visit(SecureDirectoryStream<Path> directory, Path name, int depth)
      throws IOException {
    if (seen == maxEntries) {
      LOG.warn("{} entries: the permissions of the others are not looked at", maxEntries);
    }
    if (++seen > maxEntries) {
      return;
    }
    PosixFileAttributeView view =
        directory.getFileAttributeView(
            name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
    PosixFileAttributes attributes = view.readAttributes();
    if (attributes.isRegularFile()) {
      close(view);
    } else if (attributes.isDirectory()) {
      close(view);
      if (depth < MAX_DEPTH) {
        visitAll(directory, name, depth + 1);
      }
    }
  }

  private void visitAll(SecureDirectoryStream<Path> parent, Path directory, int depth)
      throws IOException {
    try (SecureDirectoryStream<Path> content =
        parent.newDirectoryStream(directory, LinkOption.NOFOLLOW_LINKS)) {
      for (Path entry : content) {
        visit(content, entry.getFileName(), depth);
      }
    } catch (DirectoryIteratorException failure) {
      throw failure.getCause();
    }
  }

  private void close(PosixFileAttributeView view) throws IOException {
    Set<PosixFilePermission> permissions = view.readAttributes().permissions();
    if (permissions.removeAll(OTHERS)) {
      view.setPermissions(permissions);
      closed++;
    }
  }
}
