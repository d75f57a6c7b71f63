package io.hypersync.runtime.admin;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Arrays;

/**
 * Reads and writes lines on a blocking socket, each within a time limit. When the limit passes, the
 * channel is closed.
 */
final class LineChannel {
  private static final int BUFFER_BYTES = 8 * 1024;

  /** Buffer size, in bytes, of {@link #output}. */
  static final int PIECE_BYTES = 64 * 1024;

  private final SocketChannel channel;

  LineChannel(SocketChannel channel) {
    this.channel = channel;
  }

  /** A blocking operation that fails with {@link ClosedChannelException} when its time is up. */
  @FunctionalInterface
  interface Transfer<T> {
    T run() throws IOException;
  }

  /**
   * Connects. A Unix socket blocks here while the listener's backlog is full.
   *
   * @throws IOException if the connection is refused or the time is up
   */
  void connect(SocketAddress address, Duration limit) throws IOException {
    var _ = within(limit, () -> channel.connect(address));
  }

  /**
   * Reads up to a line feed, which is not returned. Bytes already read after it are dropped.
   *
   * @throws EOFException if the peer closes the connection first
   * @throws IOException if the line is longer than {@code maxBytes} or the time is up
   */
  byte[] readLine(int maxBytes, Duration limit) throws IOException {
    return within(limit, () -> readLine(maxBytes));
  }

  /**
   * Writes all bytes.
   *
   * @throws IOException if the peer closes the connection first or the time is up
   */
  void write(byte[] bytes, Duration limit) throws IOException {
    within(
        limit,
        () -> {
          ByteBuffer buffer = ByteBuffer.wrap(bytes);
          while (buffer.hasRemaining()) {
            channel.write(buffer);
          }
          return bytes.length;
        });
  }

  /**
   * A stream that writes to the channel in pieces of {@link #PIECE_BYTES}. Closing it flushes it
   * and leaves the channel open.
   *
   * @param each time limit of one piece
   * @param all time limit of all pieces together; only time spent writing counts, not the time in
   *     which the caller produces the bytes
   */
  OutputStream output(Duration each, Duration all) {
    OutputStream pieces =
        new OutputStream() {
          private long leftNs = all.toNanos();

          @Override
          public void write(int single) throws IOException {
            write(new byte[] {(byte) single}, 0, 1);
          }

          @Override
          public void write(byte[] bytes, int from, int length) throws IOException {
            long limitNs = Math.max(0, Math.min(each.toNanos(), leftNs));
            long beganNs = System.nanoTime();
            LineChannel.this.write(
                Arrays.copyOfRange(bytes, from, from + length), Duration.ofNanos(limitNs));
            leftNs -= System.nanoTime() - beganNs;
          }
        };
    return new BufferedOutputStream(pieces, PIECE_BYTES);
  }

  private byte[] readLine(int maxBytes) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
    while (true) {
      buffer.clear();
      if (channel.read(buffer) < 0) {
        throw new EOFException("the connection ended in the middle of a line");
      }
      buffer.flip();
      while (buffer.hasRemaining()) {
        byte next = buffer.get();
        if (next == '\n') {
          return line.toByteArray();
        }
        line.write(next);
      }
      if (line.size() > maxBytes) {
        throw new IOException("a line longer than " + maxBytes + " bytes");
      }
    }
  }

  /**
   * Blocking channels have no timeout, so a second thread closes the channel when the time is up.
   */
  private <T> T within(Duration limit, Transfer<T> transfer) throws IOException {
    Thread watchdog =
        Thread.ofVirtual()
            .name("admin-time-limit")
            .start(
                () -> {
                  try {
                    Thread.sleep(limit);
                    channel.close();
                  } catch (InterruptedException done) {
                    Thread.currentThread().interrupt();
                  } catch (IOException alreadyGone) {
                    // The channel is closed either way.
                  }
                });
    try {
      return transfer.run();
    } catch (ClosedChannelException closed) {
      throw new AdminTimeoutException("no answer within " + limit.toSeconds() + " s", closed);
    } finally {
      watchdog.interrupt();
    }
  }
}
