package io.hypersync.cli.runtime;

import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.worker.fuse.dev.FilesystemType;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks whether a daemon can keep its state on a filesystem, which must be case-sensitive and
 * POSIX-like (hypersync.md 0.1.1). Filesystem types that are known to be unsuitable or not durable
 * are recognized by name; a probe tests the rest.
 */
public final class BackingFilesystem {
  private static final Logger LOG = LoggerFactory.getLogger(BackingFilesystem.class);
  private static final String ELSEWHERE =
      "Keep it on a local disk with ext4, xfs or btrfs: --state-dir <dir>";
  private static final Set<PosixFilePermission> PROBED =
      PosixFilePermissions.fromString("rw-r-----");

  private BackingFilesystem() {}

  /**
   * Checks a state directory and creates it if it does not exist. Logs a warning if the filesystem
   * may not be durable.
   *
   * @throws UserError if a daemon cannot work there
   */
  public static void check(Path stateDir) {
    FilesystemType type = FilesystemType.of(stateDir);
    switch (type.verdict()) {
      case GOOD -> LOG.debug("{} is on {}", stateDir, type.name());
      case DOUBTFUL -> LOG.warn("{} is on {}: {}", stateDir, type.name(), type.why());
      case USELESS ->
          throw new UserError(
              "the state directory "
                  + stateDir
                  + " cannot be on "
                  + type.name()
                  + ": "
                  + type.why(),
              ELSEWHERE);
    }
    probe(stateDir, type);
  }

  private static void probe(Path stateDir, FilesystemType type) {
    Path folder;
    try {
      Files.createDirectories(stateDir, DurableFiles.OWNER_ONLY_DIRECTORY);
      folder = Files.createTempDirectory(stateDir, ".probe-", DurableFiles.OWNER_ONLY_DIRECTORY);
    } catch (IOException failure) {
      LOG.debug("{} is not probed: {}", stateDir, failure.toString());
      return; // the daemon itself reports the problem with its directory in more detail
    }
    try {
      String missing = whatIsMissing(folder);
      if (!missing.isEmpty()) {
        throw new UserError(
            "the state directory "
                + stateDir
                + " cannot be on this filesystem ("
                + type.name()
                + "): "
                + missing,
            ELSEWHERE);
      }
      String odd = whatIsOdd(folder);
      if (!odd.isEmpty()) {
        LOG.warn("{} is on a filesystem ({}) {}", stateDir, type.name(), odd);
      }
    } catch (IOException failure) {
      // A full disk, for example: the daemon itself reports that.
      LOG.debug("{} is not probed: {}", stateDir, failure.toString());
    } finally {
      remove(folder);
    }
  }

  /** Returns a property that daemons rely on and the filesystem lacks; empty if it has all. */
  private static String whatIsMissing(Path folder) throws IOException {
    Path lower = folder.resolve("name");
    try (FileChannel file =
        FileChannel.open(
            lower,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            DurableFiles.OWNER_ONLY)) {
      if (Files.exists(folder.resolve("NAME"))) {
        return "it does not tell upper from lower case in names";
      }
      Files.setPosixFilePermissions(lower, PROBED);
      if (!Files.getPosixFilePermissions(lower).equals(PROBED)) {
        return "it does not keep the permissions of files, so keys would be open to others";
      }
      file.force(true);
    } catch (UnsupportedOperationException none) {
      return "it knows no permissions of files";
    }
    Path other = folder.resolve("other");
    Files.writeString(other, "other");
    Files.move(other, lower, StandardCopyOption.ATOMIC_MOVE);
    if (Files.exists(other) || !Files.readString(lower).equals("other")) {
      return "it does not replace a file in one step when another is renamed over it";
    }
    DurableFiles.syncDirectory(folder);
    return "";
  }

  /**
   * Returns a property that POSIX filesystems have, daemons do not need and this one lacks; empty
   * if it has all.
   */
  private static String whatIsOdd(Path folder) {
    Path file = folder.resolve("name");
    try {
      Files.createLink(folder.resolve("hard"), file);
    } catch (IOException | UnsupportedOperationException none) {
      return "without hard links: better keep it on ext4 or xfs";
    }
    try {
      Files.createSymbolicLink(folder.resolve("symbolic"), file);
    } catch (IOException | UnsupportedOperationException none) {
      return "without symbolic links: better keep it on ext4 or xfs";
    }
    return "";
  }

  private static void remove(Path folder) {
    try {
      DurableFiles.deleteTree(folder);
    } catch (IOException failure) {
      LOG.debug("{} stays behind: {}", folder, failure.toString());
    }
  }
}
