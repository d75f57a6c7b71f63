package io.hypersync.wire.transport;

import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage;
import java.net.InetSocketAddress;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.function.IntPredicate;

/**
 * A worker's side of its connection. Single-threaded: all callbacks of the listener come on the
 * thread of {@link #executor()}, and all methods are to be called on it unless they say otherwise.
 */
public interface WorkerTransport {

  /**
   * Starts one attempt to connect, which ends with {@code connected} or {@code connectFailed}. Does
   * not block. There are no retries; the caller decides about them.
   *
   * @throws IllegalStateException if an attempt is in progress or a connection exists
   */
  void connect(InetSocketAddress leader);

  /**
   * Queues a message on the stream it belongs to; {@link #flush()} sends it. Does nothing without a
   * connection. What is queued when a connection ends is lost.
   *
   * @throws IllegalArgumentException if the message is longer than its frame may be
   */
  void send(WorkerMessage message);

  /** Sends the queued messages; call once per batch of messages. */
  void flush();

  /**
   * Ends the attempt or the connection, if there is one; {@code closed} follows only for a
   * connection.
   */
  void disconnect();

  /**
   * Measures the path to the leader.
   *
   * @param then called on the transport's thread; not called without a connection
   */
  void measure(Consumer<PathFigures> then);

  /** Whether the queue of the stream is below its high-water mark; false without a connection. */
  boolean isWritable(StreamKind kind);

  /**
   * Whether something from the leader has arrived at this host that the listener has not been given
   * and responded to yet. May be called from any thread. False where the transport cannot tell.
   *
   * @param readable asks the kernel whether a file descriptor has something to read
   */
  boolean hasUnread(IntPredicate readable);

  /** Stops or resumes reading one stream; see {@link LeaderTransport#setReading}. */
  void setReading(StreamKind kind, boolean reading);

  /**
   * The transport's one thread, for tasks now or later. May be used from any thread; must not be
   * shut down.
   */
  ScheduledExecutorService executor();

  /**
   * Disconnects and ends the thread; blocks until that is done. May be called from any thread
   * except the transport's own.
   */
  void shutdown();
}
