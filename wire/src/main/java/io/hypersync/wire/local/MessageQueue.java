package io.hypersync.wire.local;

import io.hypersync.wire.message.StreamKind;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Messages on their way in one direction, in the order in which they were sent. The receiver can
 * stop one stream, as a network's flow control does; the messages of the others overtake its.
 *
 * @param <M> the messages
 */
final class MessageQueue<M> {
  /** When so many bytes of a stream wait its sender is to stop; as for a connection over QUIC. */
  static final long HIGH_WATER_BYTES = 1L << 20;

  private final Function<M, StreamKind> streamOf;
  private final ToLongFunction<M> bytesOf;
  private final ArrayDeque<M> waiting = new ArrayDeque<>();
  private final Map<StreamKind, Stream> streams = new EnumMap<>(StreamKind.class);

  private static final class Stream {
    long bytes;
    boolean isStopped;
    boolean wasFull;
  }

  MessageQueue(Function<M, StreamKind> streamOf, ToLongFunction<M> bytesOf) {
    this.streamOf = streamOf;
    this.bytesOf = bytesOf;
    for (StreamKind kind : StreamKind.values()) {
      streams.put(kind, new Stream());
    }
  }

  private Stream stream(StreamKind kind) {
    Stream stream = streams.get(kind);
    if (stream == null) {
      throw new AssertionError(kind);
    }
    return stream;
  }

  void add(M message) {
    waiting.addLast(message);
    stream(streamOf.apply(message)).bytes += bytesOf.applyAsLong(message);
  }

  /** Whether the sender may go on with this stream. */
  boolean isWritable(StreamKind kind) {
    Stream stream = stream(kind);
    boolean isFull = stream.bytes >= HIGH_WATER_BYTES;
    stream.wasFull |= isFull;
    return !isFull;
  }

  /** Whether the sender was told to stop, and may go on now; true once. */
  boolean isWritableAgain(StreamKind kind) {
    Stream stream = stream(kind);
    boolean again = stream.wasFull && stream.bytes < HIGH_WATER_BYTES;
    stream.wasFull &= !again;
    return again;
  }

  void setStopped(StreamKind kind, boolean isStopped) {
    stream(kind).isStopped = isStopped;
  }

  /** Whether a message waits that may be delivered. */
  boolean hasNext() {
    for (M message : waiting) {
      if (!stream(streamOf.apply(message)).isStopped) {
        return true;
      }
    }
    return false;
  }

  /** Takes the first message that may be delivered; null if there is none. */
  @Nullable M poll() {
    for (Iterator<M> each = waiting.iterator(); each.hasNext(); ) {
      M message = each.next();
      Stream stream = stream(streamOf.apply(message));
      if (!stream.isStopped) {
        each.remove();
        stream.bytes -= bytesOf.applyAsLong(message);
        return message;
      }
    }
    return null;
  }

  /** A new connection: nothing waits, and nothing is stopped. */
  void clear() {
    waiting.clear();
    for (Stream stream : streams.values()) {
      stream.bytes = 0;
      stream.isStopped = false;
      stream.wasFull = false;
    }
  }
}
