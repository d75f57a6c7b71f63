package io.hypersync.chunkstore.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An open segment file that survives thread interrupts. A {@link FileChannel} is closed when a
 * thread that uses it is interrupted, which also fails all other threads. This class reopens the
 * channel for reads and writes, and restores the interrupt status afterwards. Thread-safe.
 */
final class ChunkSegmentFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ChunkSegmentFile.class);

  private final Path path;
  private final OpenOption[] options;
  private volatile FileChannel channel;
  private boolean closed;

  ChunkSegmentFile(Path path, OpenOption... options) throws IOException {
    this.path = path;
    this.options = options;
    this.channel = FileChannel.open(path, options);
  }

  long size() throws IOException {
    return uninterrupted(FileChannel::size);
  }

  /** Reads from this offset until the buffer is full or the file ends. */
  void read(ByteBuffer into, long offset) throws IOException {
    int start = into.position();
    uninterrupted(
        file -> {
          while (into.hasRemaining() && file.read(into, offset + into.position() - start) >= 0) {
            // again: a read may return fewer bytes than there are
          }
          return null;
        });
  }

  /**
   * Reads once from this offset: what one call of the kernel gives, -1 at the end of the file. For
   * files that are open with {@code O_DIRECT}, which cannot go on from any offset.
   */
  int readOnce(ByteBuffer into, long offset) throws IOException {
    return uninterrupted(file -> file.read(into, offset));
  }

  /** Writes the whole buffer at this offset. */
  void write(ByteBuffer from, long offset) throws IOException {
    int start = from.position();
    uninterrupted(
        file -> {
          while (from.hasRemaining()) {
            var _ = file.write(from, offset + from.position() - start);
          }
          return null;
        });
  }

  /**
   * Syncs the file (fdatasync): blocks until all written bytes, and the file length, are on stable
   * storage.
   *
   * @throws SyncFailed if it is unknown whether they are. That includes an interrupt of the thread
   *     during the call: the JDK then reports the interrupt instead of the kernel's result, and the
   *     kernel reports an error only once
   */
  void force() throws SyncFailed {
    sync(channel, false);
  }

  /**
   * Opens a file for writing, creates it if it does not exist, and makes its name durable. If that
   * fails before the sync, nothing was created.
   *
   * @throws SyncFailed as for {@link #force}
   */
  static ChunkSegmentFile create(Path path) throws IOException {
    boolean interrupted = Thread.interrupted();
    Path parent = Objects.requireNonNull(path.getParent());
    try (FileChannel directory = FileChannel.open(parent, StandardOpenOption.READ)) {
      ChunkSegmentFile file =
          new ChunkSegmentFile(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      try {
        sync(directory, true);
      } catch (SyncFailed e) {
        file.close();
        throw e;
      }
      return file;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Syncs a directory: blocks until the names in it are on stable storage.
   *
   * @throws SyncFailed as for {@link #force}
   */
  static void syncDirectory(Path directory) throws IOException {
    boolean interrupted = Thread.interrupted();
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      sync(channel, true);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Closes the file. Operations in progress on other threads fail with {@link
   * ClosedChannelException}.
   */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    try {
      channel.close();
    } catch (IOException e) {
      LOG.warn("cannot close {}", path, e);
    }
  }

  private static void sync(FileChannel file, boolean metadata) throws SyncFailed {
    boolean interrupted = Thread.interrupted();
    try {
      file.force(metadata);
    } catch (IOException e) {
      throw new SyncFailed(e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private <T> T uninterrupted(FileAction<T> action) throws IOException {
    boolean interrupted = Thread.interrupted();
    try {
      while (true) {
        FileChannel file = channel;
        try {
          return action.on(file);
        } catch (ClosedByInterruptException e) {
          interrupted |= Thread.interrupted();
          reopen(e);
        } catch (ClosedChannelException e) {
          reopen(e);
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private synchronized void reopen(ClosedChannelException why) throws IOException {
    if (closed) {
      throw why;
    }
    if (!channel.isOpen()) {
      channel = FileChannel.open(path, options);
    }
  }

  @FunctionalInterface
  private interface FileAction<T> {
    T on(FileChannel file) throws IOException;
  }
}
