package io.hypersync.wire.quic;

import io.hypersync.wire.message.StreamKind;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.incubator.codec.quic.QuicStreamChannel;
import io.netty.incubator.codec.quic.QuicStreamPriority;
import io.netty.util.concurrent.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends frames on one stream. They are collected in one buffer until the flush, so that several
 * small messages share a packet. Bytes that QUIC has not accepted yet are counted, for
 * backpressure. Used by the event loop only.
 */
final class StreamWriter {
  /** When so much is collected it is handed to QUIC without waiting for a flush. */
  private static final int HAND_ON_BYTES = 64 * 1024;

  private static final int SMALL_BUFFER_BYTES = 2 * 1024;
  private static final int LARGE_BUFFER_BYTES = HAND_ON_BYTES * 2;

  private final QuicStreamChannel channel;
  private final StreamKind kind;
  private final QuicOptions options;
  private final BatchHandler batch;
  private final Runnable writableAgain;
  private final Consumer<Throwable> failed;
  private @Nullable ByteBuf collected;
  private long queuedBytes;
  private boolean writable = true;

  /**
   * Makes a writer and sets the stream's priority.
   *
   * @param batch the handler of the socket, which is notified of what QUIC gets and of what QUIC
   *     cannot accept yet
   * @param writableAgain called on the event loop, never from within a method of this class
   * @param failed called with the cause when a write to the stream fails
   */
  StreamWriter(
      QuicStreamChannel channel,
      StreamKind kind,
      QuicOptions options,
      BatchHandler batch,
      Runnable writableAgain,
      Consumer<Throwable> failed) {
    this.channel = channel;
    this.kind = kind;
    this.options = options;
    this.batch = batch;
    this.writableAgain = writableAgain;
    this.failed = failed;
    var _ = channel.updatePriority(new QuicStreamPriority(urgency(kind), false));
  }

  /** The buffer to append the next frame to; {@link #appended} must follow. */
  ByteBuf buffer() {
    ByteBuf buffer = collected;
    if (buffer == null) {
      buffer = channel.alloc().directBuffer(bufferBytes(kind));
      collected = buffer;
    }
    return buffer;
  }

  /**
   * Accounts for bytes that were appended to the buffer.
   *
   * @return false if more is queued than allowed
   */
  boolean appended(int bytes) {
    queuedBytes += bytes;
    if (queuedBytes >= options.highWaterBytes()) {
      writable = false;
    }
    ByteBuf buffer = collected;
    if (buffer != null && buffer.readableBytes() >= HAND_ON_BYTES) {
      flush();
    }
    return queuedBytes <= options.maxQueuedBytes();
  }

  /** Hands what was collected to QUIC. */
  void flush() {
    ByteBuf buffer = collected;
    if (buffer == null) {
      return;
    }
    collected = null;
    int bytes = buffer.readableBytes();
    ChannelFuture written = channel.write(buffer);
    batch.answered();
    if (written.isDone()) {
      handedOver(bytes, written);
    } else {
      batch.hurry();
      written.addListener(
          done -> {
            batch.answered(); // only now has QUIC accepted it
            batch.calm();
            handedOver(bytes, done);
          });
    }
  }

  boolean isWritable() {
    return writable;
  }

  /** Drops what was collected, because the stream has ended. */
  void discard() {
    if (collected != null) {
      collected.release();
      collected = null;
    }
  }

  private void handedOver(int bytes, Future<?> written) {
    queuedBytes -= bytes;
    if (!written.isSuccess()) {
      failed.accept(written.cause());
      return;
    }
    if (!writable && queuedBytes <= options.lowWaterBytes()) {
      writable = true;
      channel.eventLoop().execute(writableAgain);
    }
  }

  /**
   * The priority of a stream: a lower number goes first, so that bulk data never delays commits.
   * Log entries go before acks, which are smaller: a packet can leave in the same datagram as the
   * one before it only if it is not larger.
   */
  private static int urgency(StreamKind kind) {
    return switch (kind) {
      case CONTROL -> 0;
      case INTENTS, LOG -> 1;
      case ACKS -> 2;
      case CHUNKS, BULK -> 5;
    };
  }

  private static int bufferBytes(StreamKind kind) {
    return switch (kind) {
      case CONTROL, INTENTS, ACKS, LOG -> SMALL_BUFFER_BYTES;
      case CHUNKS, BULK -> LARGE_BUFFER_BYTES;
    };
  }
}
