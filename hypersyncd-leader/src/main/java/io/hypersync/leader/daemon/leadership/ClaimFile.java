package io.hypersync.leader.daemon.leadership;

import io.hypersync.leader.leadership.ClaimContent;
import io.hypersync.leader.leadership.ClaimException;
import io.hypersync.leader.leadership.ClaimStore;
import io.hypersync.leader.leadership.ClaimText;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.runtime.file.FileProblems;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * The claim file of a workspace, in the directory of the admin sockets. It is locked from the read
 * to the write, and never removed. It is not synced: after a power failure no process of this host
 * leads.
 */
public final class ClaimFile implements ClaimStore {
  private static final int LOCK_ATTEMPTS = 100;
  private static final long BETWEEN_ATTEMPTS_MS = 10;
  private static final Set<OpenOption> OPEN =
      Set.of(
          StandardOpenOption.CREATE,
          StandardOpenOption.READ,
          StandardOpenOption.WRITE,
          LinkOption.NOFOLLOW_LINKS);

  /**
   * The kernel's lock is one of the whole process, and any of its channels that is closed frees it.
   * So one thread of this process at a time uses a claim file.
   */
  private static final ReentrantLock ONE_THREAD = new ReentrantLock();

  private final Path file;

  /** Uses this file, which need not exist. */
  public ClaimFile(Path file) {
    this.file = file;
  }

  @Override
  public ClaimContent exchange(Function<ClaimContent, Optional<ClaimContent>> decide)
      throws ClaimException {
    ONE_THREAD.lock();
    try {
      return locked(decide);
    } catch (IOException e) {
      throw new ClaimException(
          "the claim file " + file + " cannot be used: " + FileProblems.describe(e),
          FileProblems.hint(
              e, "It must be a file of this user. If no leader runs, it can be removed."));
    } finally {
      ONE_THREAD.unlock();
    }
  }

  private ClaimContent locked(Function<ClaimContent, Optional<ClaimContent>> decide)
      throws IOException, ClaimException {
    Path directory = file.toAbsolutePath().getParent();
    if (directory != null) {
      Files.createDirectories(directory, DurableFiles.OWNER_ONLY_DIRECTORY);
    }
    try (FileChannel channel = FileChannel.open(file, OPEN, DurableFiles.OWNER_ONLY);
        FileLock _ = lock(channel)) {
      ClaimContent found = read(channel);
      Optional<ClaimContent> wanted = decide.apply(found);
      if (wanted.isEmpty()) {
        return found;
      }
      write(channel, ClaimText.of(wanted.get()));
      return wanted.get();
    }
  }

  /** Waits a moment only: whoever holds it may have been stopped by a signal. */
  private FileLock lock(FileChannel channel) throws IOException, ClaimException {
    for (int attempt = 0; attempt < LOCK_ATTEMPTS; attempt++) {
      FileLock lock = channel.tryLock();
      if (lock != null) {
        return lock;
      }
      try {
        Thread.sleep(BETWEEN_ATTEMPTS_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        break;
      }
    }
    throw new ClaimException(
        "the claim file " + file + " is locked by another process",
        "Look which one: fuser " + file);
  }

  private static ClaimContent read(FileChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(ClaimText.MAX_BYTES + 1);
    while (bytes.hasRemaining() && channel.read(bytes, bytes.position()) > 0) {
      // until it is full, or the file ends
    }
    return ClaimText.parse(
        new String(bytes.array(), 0, bytes.position(), StandardCharsets.ISO_8859_1));
  }

  private static void write(FileChannel channel, String text) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
    while (bytes.hasRemaining()) {
      var _ = channel.write(bytes, bytes.position());
    }
    var _ = channel.truncate(text.length());
  }
}
