package io.hypersync.runtime.admin;

import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.runtime.file.OwnerOnlyPermissions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ensures that one daemon at most uses a state directory: an exclusive lock on the file {@code
 * LOCK}, taken before anything else is read. The kernel releases it when the process ends, however
 * that happens. The text in the file only serves the error message of the next process.
 */
public final class StateLock implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StateLock.class);

  /** The entries of a state directory whose permissions are repaired. */
  private static final Set<String> NAMES =
      Set.of(
          "LOCK",
          "oplog",
          "oplog.v1",
          "oplog.v2",
          "oplog.aside",
          "chunks",
          "snapshots",
          "collected",
          "snapshots.aside",
          "snapshots.suspect",
          "past",
          "restores",
          "windows",
          "intents",
          "mail",
          "resume.key",
          "home",
          "lineage",
          "term",
          "revoked",
          "certificates",
          "standby",
          "deposed",
          "oplog.deposed",
          "left-behind",
          "synchronous",
          "seen",
          "seen.new",
          "enrolment.token",
          "worker.toml",
          "cut",
          "cut.unfinished");

  private final FileChannel channel;

  private StateLock(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Takes the lock, without waiting. Creates the directory if it is missing, and removes other
   * users' permissions from its content ({@link OwnerOnlyPermissions}).
   *
   * @param what the daemon to name in the error message of another process that tries
   * @throws AlreadyRunning if another daemon holds the lock; the message names it
   * @throws UserError if the directory cannot be used
   */
  public static StateLock acquire(Path stateDir, String what) {
    return acquire(stateDir, "state directory", what);
  }

  /**
   * The same for another directory that one process at a time may use.
   *
   * @param kind what the directory is, for error messages
   * @throws UserError as above
   */
  public static StateLock acquire(Path stateDir, String kind, String what) {
    Path file = stateDir.resolve("LOCK");
    try {
      Files.createDirectories(stateDir, DurableFiles.OWNER_ONLY_DIRECTORY);
      FileChannel channel =
          FileChannel.open(
              file,
              Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
              DurableFiles.OWNER_ONLY);
      if (tryLock(channel) == null) {
        String holder = Files.readString(file).strip();
        channel.close();
        throw new AlreadyRunning(
            "the " + kind + " " + stateDir + " is in use by " + holder,
            "Stop that process first, or give another " + kind + ".");
      }
      channel.truncate(0);
      String text = what + ", pid " + ProcessHandle.current().pid() + "\n";
      channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), 0);
      closeToOthers(stateDir);
      return new StateLock(channel);
    } catch (IOException e) {
      throw new UserError(
          "cannot lock the " + kind + " " + stateDir + ": " + FileProblems.describe(e),
          FileProblems.hint(
              e, "The directory must exist or be creatable, on a local disk that is writable."));
    }
  }

  /** Earlier versions left files with keys and workspace contents readable by other users. */
  private static void closeToOthers(Path stateDir) {
    try {
      OwnerOnlyPermissions.repair(stateDir, NAMES);
    } catch (IOException failure) {
      LOG.warn(
          "other users may perhaps read the contents of files in {}: {}",
          stateDir,
          FileProblems.describe(failure));
    }
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null; // held by this process
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new IllegalStateException("cannot release the state lock", e);
    }
  }
}
