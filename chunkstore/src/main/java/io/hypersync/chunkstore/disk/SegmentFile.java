package io.hypersync.chunkstore.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An open segment file. A {@link FileChannel} closes itself when a thread that uses it is
 * interrupted, and fails all others; here it is opened again to read and write, and the interrupt
 * waits.
 */
final class SegmentFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentFile.class);

  private final Path path;
  private final OpenOption[] options;
  private volatile FileChannel channel;
  private boolean closed;

  SegmentFile(Path path, OpenOption... options) throws IOException {
    this.path = path;
    this.options = options;
    this.channel = FileChannel.open(path, options);
  }

  long size() throws IOException {
    return uninterrupted(FileChannel::size);
  }

  /** Fills the buffer from this offset on, as far as the file goes. */
  void read(ByteBuffer into, long offset) throws IOException {
    int start = into.position();
    uninterrupted(
        file -> {
          while (into.hasRemaining() && file.read(into, offset + into.position() - start) >= 0) {
            // again: a read may return less than there is
          }
          return null;
        });
  }

  /** Writes all of the buffer. */
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
   * Returns when what was written is on stable storage; so is the file's length.
   *
   * @throws SyncFailed if that cannot be known. So it is when the thread is interrupted meanwhile:
   *     Java says that instead of what the kernel has said, and the kernel says it once
   */
  void force() throws SyncFailed {
    sync(channel, false);
  }

  /** The same for the names in a directory. */
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

  /** What is under way elsewhere fails with {@link ClosedChannelException}. */
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
