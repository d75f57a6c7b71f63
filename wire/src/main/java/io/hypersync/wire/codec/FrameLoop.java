package io.hypersync.wire.codec;

import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * A wire that leads back: a message is encoded as it would be for the network, and decoded again.
 * Keeps a buffer of the longest message. Single-threaded.
 */
public final class FrameLoop {
  private final ByteBuf wire = Unpooled.buffer();

  /** An empty wire. */
  public FrameLoop() {}

  /** The message as a leader would get it. */
  public WorkerMessage sent(WorkerMessage message) {
    wire.clear();
    FrameCodec.encode(message, wire);
    try {
      return whole(FrameCodec.decodeWorkerMessage(StreamKind.of(message), wire));
    } catch (ProtocolException e) {
      throw new IllegalStateException("what was encoded cannot be decoded", e);
    }
  }

  /** The message as a worker would get it. */
  public LeaderMessage sent(LeaderMessage message) {
    wire.clear();
    FrameCodec.encode(message, wire);
    try {
      return whole(FrameCodec.decodeLeaderMessage(StreamKind.of(message), wire));
    } catch (ProtocolException e) {
      throw new IllegalStateException("what was encoded cannot be decoded", e);
    }
  }

  private static <M> M whole(@Nullable M message) {
    if (message == null) {
      throw new IllegalStateException("a part of the message is missing");
    }
    return message;
  }
}
