package io.hypersync.runtime.file;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The kernel's exclusive lock of a file, for as long as a read, a decision and a write take. The
 * kernel frees it when the process ends. The file must never be removed: who has it open would lock
 * a file that nobody else sees.
 *
 * <p>The kernel's lock is one of the whole process, and any of its channels of this file that is
 * closed frees it. So one thread of this process at a time has a file, which is known by its path:
 * nobody may open it otherwise while this lock is used.
 */
public final class MomentaryLock implements AutoCloseable {
  /** Whoever holds a lock may have been stopped by a signal, so nobody waits longer. */
  private static final long PATIENCE_MS = 1_000;

  private static final long BETWEEN_ATTEMPTS_MS = 10;

  private static final Set<OpenOption> OPEN =
      Set.of(
          StandardOpenOption.CREATE,
          StandardOpenOption.READ,
          StandardOpenOption.WRITE,
          LinkOption.NOFOLLOW_LINKS);

  /** By path; there are as many as a process uses such files, which is a handful. */
  private static final ConcurrentMap<Path, ReentrantLock> THREADS = new ConcurrentHashMap<>();

  private final ReentrantLock thread;
  private final FileChannel channel;

  private MomentaryLock(ReentrantLock thread, FileChannel channel) {
    this.thread = thread;
    this.channel = channel;
  }

  /**
   * Locks a file, which is created with mode 0600 if it is missing, in a directory that is created
   * with mode 0700. Waits for a second at most, beside what the disk takes.
   *
   * @throws FileLockedException if somebody else has it all the time
   * @throws IOException if the file cannot be opened, or is a symbolic link
   */
  public static MomentaryLock take(Path file) throws IOException {
    Path absolute = file.toAbsolutePath();
    Path directory = absolute.getParent();
    if (directory == null) {
      throw new IOException(file + " is not the name of a file");
    }
    Files.createDirectories(directory, DurableFiles.OWNER_ONLY_DIRECTORY);
    Path known = directory.toRealPath().resolve(absolute.getFileName());
    ReentrantLock thread = THREADS.computeIfAbsent(known, _ -> new ReentrantLock());
    try {
      if (!thread.tryLock(PATIENCE_MS, TimeUnit.MILLISECONDS)) {
        throw new FileLockedException(file);
      }
    } catch (InterruptedException e) {
      throw interrupted(file);
    }
    try {
      return new MomentaryLock(thread, locked(known));
    } catch (IOException | RuntimeException | Error e) {
      thread.unlock();
      throw e;
    }
  }

  private static FileChannel locked(Path file) throws IOException {
    FileChannel channel = FileChannel.open(file, OPEN, DurableFiles.OWNER_ONLY);
    try {
      for (long waitedMs = 0; waitedMs <= PATIENCE_MS; waitedMs += BETWEEN_ATTEMPTS_MS) {
        FileLock lock = channel.tryLock();
        if (lock != null) {
          return channel; // whose end frees it
        }
        Thread.sleep(BETWEEN_ATTEMPTS_MS);
      }
      throw new FileLockedException(file);
    } catch (InterruptedException e) {
      channel.close();
      throw interrupted(file);
    } catch (IOException | RuntimeException | Error e) {
      channel.close();
      throw e;
    }
  }

  private static IOException interrupted(Path file) {
    Thread.currentThread().interrupt();
    return new InterruptedIOException(file + ": interrupted while it was to be locked");
  }

  /** The file, to be read and written as long as it is locked, and not to be closed. */
  public FileChannel channel() {
    return channel;
  }

  /** Frees the file. */
  @Override
  public void close() throws IOException {
    try {
      channel.close();
    } finally {
      thread.unlock();
    }
  }
}
