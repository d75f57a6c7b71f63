package io.hypersync.wire.quic;

import io.hypersync.wire.codec.FrameCodec;
import io.hypersync.wire.codec.ProtocolException;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The messages that one side of a connection sends and receives.
 *
 * @param <I> the type of received messages
 * @param <O> the type of sent messages
 */
interface MessageCodec<I, O> {
  MessageCodec<WorkerMessage, LeaderMessage> LEADER =
      new MessageCodec<>() {
        @Override
        public boolean isWorker() {
          return false;
        }

        @Override
        public StreamKind streamOf(LeaderMessage message) {
          return StreamKind.of(message);
        }

        @Override
        public void encode(LeaderMessage message, ByteBuf out) {
          FrameCodec.encode(message, out);
        }

        @Override
        public @Nullable WorkerMessage decode(StreamKind stream, ByteBuf in)
            throws ProtocolException {
          return FrameCodec.decodeWorkerMessage(stream, in);
        }
      };

  MessageCodec<LeaderMessage, WorkerMessage> WORKER =
      new MessageCodec<>() {
        @Override
        public boolean isWorker() {
          return true;
        }

        @Override
        public StreamKind streamOf(WorkerMessage message) {
          return StreamKind.of(message);
        }

        @Override
        public void encode(WorkerMessage message, ByteBuf out) {
          FrameCodec.encode(message, out);
        }

        @Override
        public @Nullable LeaderMessage decode(StreamKind stream, ByteBuf in)
            throws ProtocolException {
          return FrameCodec.decodeLeaderMessage(stream, in);
        }
      };

  /** Whether this side is the worker. */
  boolean isWorker();

  StreamKind streamOf(O message);

  void encode(O message, ByteBuf out);

  /** Reads one message from {@code in}; null if it is not complete yet. */
  @Nullable I decode(StreamKind stream, ByteBuf in) throws ProtocolException;
}
