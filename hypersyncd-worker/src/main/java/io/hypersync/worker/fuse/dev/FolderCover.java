package io.hypersync.worker.fuse.dev;

import io.hypersync.model.errno.Errno;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps all users, root included, from writing into the bare directory on which a workspace is
 * about to be mounted: what is written there is not replicated. The directory is made immutable (as
 * by {@code chattr +i}) until the mount covers it.
 *
 * <p>An extended attribute records that HyperSync has done this, which distinguishes a flag left by
 * a killed worker from one that an administrator has set. A directory that was immutable before
 * stays so; one whose filesystem does not support the flag or the attribute is not covered.
 */
public final class FolderCover implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FolderCover.class);

  /** The attribute's name, without its prefix {@code user.}. */
  private static final String MARK = "hypersync.covered";

  private final Path folder;
  private final int fd;

  private FolderCover(Path folder, int fd) {
    this.folder = folder;
    this.fd = fd;
  }

  /** Covers an existing directory, as far as its filesystem supports that. */
  static FolderCover put(Path folder) {
    int fd = Syscalls.open(folder.toString(), Syscalls.O_DIRECTORY | Syscalls.O_CLOEXEC);
    FolderCover cover = new FolderCover(folder, fd);
    if (fd < 0) {
      return cover;
    }
    int flags = Syscalls.inodeFlags(fd);
    if (flags < 0) {
      cover.tellThatItIsBare(Errno.of(-flags));
    } else if ((flags & Syscalls.FS_IMMUTABLE_FL) == 0) {
      try {
        cover.view().write(MARK, ByteBuffer.wrap(new byte[] {'1'}));
        int set = Syscalls.setInodeFlags(fd, flags | Syscalls.FS_IMMUTABLE_FL);
        if (set < 0) {
          cover.view().delete(MARK);
          cover.tellThatItIsBare(Errno.of(-set));
        }
      } catch (IOException failure) {
        LOG.debug("{} cannot be marked: {}", folder, failure.getMessage());
        cover.tellThatItIsBare(Errno.ENOTSUP);
      }
    }
    return cover;
  }

  /**
   * Removes a cover that a killed worker has left; a directory made immutable by others stays so.
   *
   * @return whether there was a cover
   * @throws IOException if it cannot be removed
   */
  public static boolean clear(Path folder) throws IOException {
    int fd = Syscalls.open(folder.toString(), Syscalls.O_DIRECTORY | Syscalls.O_CLOEXEC);
    try (FolderCover left = new FolderCover(folder, fd)) {
      return fd >= 0 && left.remove();
    }
  }

  /** Removes the cover, also if something is mounted over the directory by now. */
  @Override
  public void close() {
    if (fd < 0) {
      return;
    }
    try {
      var _ = remove();
    } catch (IOException failure) {
      LOG.warn("{} stays immutable: {}", folder, failure.getMessage());
    } finally {
      var _ = Syscalls.close(fd);
    }
  }

  private boolean remove() throws IOException {
    int flags = Syscalls.inodeFlags(fd);
    if (flags < 0 || !isMarked()) {
      return false;
    }
    boolean covered = (flags & Syscalls.FS_IMMUTABLE_FL) != 0;
    if (covered) {
      int cleared = Syscalls.setInodeFlags(fd, flags & ~Syscalls.FS_IMMUTABLE_FL);
      if (cleared < 0) {
        throw new IOException("chattr -i " + folder + ": " + Errno.of(-cleared).message());
      }
    }
    view().delete(MARK);
    return covered;
  }

  private boolean isMarked() {
    try {
      return view().list().contains(MARK);
    } catch (IOException noAttributes) {
      return false;
    }
  }

  /** Through the descriptor: the path may lead to what is mounted over the directory. */
  private UserDefinedFileAttributeView view() throws IOException {
    UserDefinedFileAttributeView view =
        Files.getFileAttributeView(
            Path.of("/proc/self/fd", Integer.toString(fd)), UserDefinedFileAttributeView.class);
    if (view == null) {
      throw new IOException("no extended attributes");
    }
    return view;
  }

  private void tellThatItIsBare(Errno why) {
    LOG.info(
        "{} cannot be made immutable ({}): what is written there before it is mounted stays on"
            + " this machine",
        folder,
        why.message());
  }
}
