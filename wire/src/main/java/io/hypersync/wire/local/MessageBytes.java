package io.hypersync.wire.local;

import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.WorkerMessage;

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
          case LeaderMessage.LogEntries log ->
              log.entries().stream().mapToLong(entry -> entry.length).sum();
          default -> 0;
        };
  }
}
