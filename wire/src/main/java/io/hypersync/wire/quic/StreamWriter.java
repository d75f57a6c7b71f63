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
 * Frames on their way out on one stream. They are collected in one buffer until the flush, so that
 * a batch of small messages becomes one packet; what the network does not take yet is counted.
 */
final class StreamWriter {
  /** What is collected before it is handed on without waiting for a flush. */
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
   * Makes a writer.
   *
   * @param batch of the socket; told what is given to QUIC, and what QUIC does not take yet
   * @param writableAgain called from the event loop, never from within a method of this class
   * @param failed told why the other side does not take any more
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

  /** Where the next frame is to be appended; {@link #appended} must follow. */
  ByteBuf buffer() {
    ByteBuf buffer = collected;
    if (buffer == null) {
      buffer = channel.alloc().directBuffer(bufferBytes(kind));
      collected = buffer;
    }
    return buffer;
  }

  /**
   * So many bytes were appended to the buffer.
   *
   * @return false if more is queued than may be
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

  /** Hands to QUIC what was collected. */
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
            batch.answered(); // QUIC has it only now
            batch.calm();
            handedOver(bytes, done);
          });
    }
  }

  boolean isWritable() {
    return writable;
  }

  /** Drops what was collected; the stream has ended. */
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
   * Lower goes first: bulk never blocks commits. Entries go before acks, which are smaller: only a
   * packet that is no larger can leave in the same datagram as the one before it.
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
