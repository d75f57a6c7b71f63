package io.hypersync.wire.local;

import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.WorkerMessage;
import java.util.List;

/** About how many bytes of memory a message keeps alive: what is large of it, and a little. */
final class MessageBytes {
  private static final long A_LITTLE = 64;

  private MessageBytes() {}

  static long of(WorkerMessage message) {
    return A_LITTLE
        + switch (message) {
          case WorkerMessage.ChunkPut put -> put.bytes().length;
          case WorkerMessage.ChunkCopy copy -> copy.bytes().length;
          default -> 0;
        };
  }

  static long of(LeaderMessage message) {
    return A_LITTLE
        + switch (message) {
          case LeaderMessage.ChunkData data -> data.bytes().length;
          case LeaderMessage.LogEntries log -> bytes(log.entries());
          default -> 0;
        };
  }

  private static long bytes(List<byte[]> entries) {
    long bytes = 0;
    for (byte[] entry : entries) {
      bytes += entry.length;
    }
    return bytes;
  }
}
