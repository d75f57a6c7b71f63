package io.hypersync.wire.transport;

import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage;
import java.net.InetSocketAddress;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.IntPredicate;

/**
 * A worker's end of its connection. It has one thread, {@link #executor()}: every callback of the
 * listener comes on it, and every method is called on it unless it says otherwise.
 */
public interface WorkerTransport {

  /**
   * Makes one attempt to connect, which ends in {@code connected} or {@code connectFailed}. When to
   * try again is for the caller to decide.
   *
   * @throws IllegalStateException if an attempt is under way or a connection exists
   */
  void connect(InetSocketAddress leader);

  /**
   * Queues a message on the stream it belongs to; {@link #flush()} sends it. Nothing happens
   * without a connection: what was queued on one is lost with it.
   *
   * @throws IllegalArgumentException if the message is too long to be sent
   */
  void send(WorkerMessage message);

  /** Sends what is queued; once per batch of messages. */
  void flush();

  /** Ends the attempt or the connection, if there is one; {@code closed} follows a connection. */
  void disconnect();

  /** Whether it makes sense to queue more now; false without a connection. */
  boolean isWritable(StreamKind kind);

  /**
   * Whether something from the leader has come to this machine that the listener has not been given
   * and answered yet; any thread. False where the transport does not know.
   *
   * @param readable asks the kernel whether a descriptor has something to read
   */
  boolean hasUnread(IntPredicate readable);

  /** Stops or resumes reading one stream; see {@link LeaderTransport#setReading}. */
  void setReading(StreamKind kind, boolean reading);

  /**
   * The one thread. Callable from everywhere: to run on it, to wake it, to be called later. It is
   * not to be shut down.
   */
  ScheduledExecutorService executor();

  /**
   * Disconnects and ends the thread; returns when that has happened. Callable from everywhere but
   * the thread itself.
   */
  void shutdown();
}
