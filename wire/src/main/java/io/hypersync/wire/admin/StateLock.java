package io.hypersync.wire.admin;

import io.hypersync.wire.file.DurableFiles;
import io.hypersync.wire.file.FileProblems;
import io.hypersync.wire.file.OwnerOnly;
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
 * One daemon per state directory: an exclusive lock on its file {@code LOCK}, taken before anything
 * is read. The kernel drops it with the process, however that ends; the text in the file is for
 * people.
 */
public final class StateLock implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StateLock.class);

  /** All that leaders and workers have in a state directory. */
  private static final Set<String> NAMES =
      Set.of("LOCK", "oplog", "chunks", "enrolment.token", "worker.toml");

  private final FileChannel channel;

  private StateLock(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Takes the lock. The directory is made if it is not there; what is in it is closed to all but
   * its owner ({@link OwnerOnly}).
   *
   * @throws UserError if somebody else holds it: says who
   */
  public static StateLock acquire(Path stateDir, String what) {
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
        throw new UserError(
            "the state directory " + stateDir + " is in use by " + holder,
            "Stop that process first, or give another state directory.");
      }
      channel.truncate(0);
      String text = what + ", pid " + ProcessHandle.current().pid() + "\n";
      channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), 0);
      closeToOthers(stateDir);
      return new StateLock(channel);
    } catch (IOException e) {
      throw new UserError(
          "cannot lock the state directory " + stateDir + ": " + FileProblems.describe(e),
          FileProblems.hint(
              e, "The directory must exist or be creatable, on a local disk that is writable."));
    }
  }

  /** What an earlier version left open holds the contents of files, and keys. */
  private static void closeToOthers(Path stateDir) {
    try {
      OwnerOnly.repair(stateDir, NAMES);
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
      return null; // held by this very process
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
