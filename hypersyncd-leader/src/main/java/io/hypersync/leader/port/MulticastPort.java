package io.hypersync.leader.port;

import io.hypersync.model.op.ChunkRef;
import io.hypersync.wire.message.LeaderMessage.MulticastGroup;
import org.jspecify.annotations.Nullable;

/**
 * Sends packets to all workers at once. Called by the leader agent only; nothing blocks. Packets
 * may be lost, and nobody says so.
 */
public interface MulticastPort {
  /** For a leader that sends to each worker alone. */
  MulticastPort NONE =
      new MulticastPort() {
        @Override
        public @Nullable MulticastGroup group() {
          return null;
        }

        @Override
        public int maxSymbolBytes() {
          return 0;
        }

        @Override
        public void sendSymbols(ChunkRef chunk, int symbolBytes, int repair, Sent then) {}

        @Override
        public void beacon() {}
      };

  /** Told of what was sent. */
  @FunctionalInterface
  interface Sent {
    /**
     * The symbols of a chunk were sent, or could not be.
     *
     * @param packets how many were sent; 0 if the chunk cannot be read
     * @param bytes of these packets, without headers of IP and UDP
     */
    void sent(int packets, long bytes);
  }

  /**
   * What a worker needs to hear the packets; null if this leader sends none. The same each time.
   */
  @Nullable MulticastGroup group();

  /** The most bytes of a symbol in one packet. */
  int maxSymbolBytes();

  /**
   * Reads a chunk and sends it to the group as symbols.
   *
   * @param symbolBytes T, at most {@link #maxSymbolBytes}
   * @param repair how many repair symbols are sent beside the source symbols, 0 or more
   * @param then run on the agent's thread, later, when they were sent, or there are none
   */
  void sendSymbols(ChunkRef chunk, int symbolBytes, int repair, Sent then);

  /** Sends a packet with nothing in it, by which workers notice that they hear. */
  void beacon();
}
