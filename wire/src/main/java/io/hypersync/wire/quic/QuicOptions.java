package io.hypersync.wire.quic;

import io.hypersync.wire.admission.HandshakeLimits;
import java.time.Duration;

/**
 * Limits of a QUIC transport. The two sides may use different values; of the idle timeouts the
 * smaller one is in force.
 *
 * @param idleTimeout a connection is dead after so long without a packet; heartbeats must be more
 *     frequent
 * @param connectTimeout how long one attempt waits for the first answer
 * @param highWaterBytes a stream is not writable while so much or more is queued
 * @param lowWaterBytes it is writable again when so little is left
 * @param maxQueuedBytes a stream with more queued than this ends its connection
 * @param connectionWindowBytes how much a peer may have in flight to this side on all streams
 * @param streamWindowBytes how much a peer may have in flight to this side on one stream
 * @param socketBufferBytes SO_RCVBUF and SO_SNDBUF to request; the kernel may grant less
 * @param maxUnopened how many connections without a session a leader keeps, the newest ones:
 *     anybody can begin one without a certificate
 * @param handshakes limits of the handshakes that a leader begins
 */
public record QuicOptions(
    Duration idleTimeout,
    Duration connectTimeout,
    int highWaterBytes,
    int lowWaterBytes,
    long maxQueuedBytes,
    long connectionWindowBytes,
    long streamWindowBytes,
    int socketBufferBytes,
    int maxUnopened,
    HandshakeLimits handshakes) {
  private static final int MIB = 1024 * 1024;

  /** Rejects limits that contradict each other, with {@link IllegalArgumentException}. */
  public QuicOptions {
    if (idleTimeout.toMillis() < 1 || connectTimeout.toMillis() < 1) {
      throw new IllegalArgumentException("timeouts must be at least 1 ms");
    }
    if (lowWaterBytes < 0 || lowWaterBytes >= highWaterBytes || highWaterBytes > maxQueuedBytes) {
      throw new IllegalArgumentException(
          "0 <= low water < high water <= maximum does not hold for "
              + lowWaterBytes
              + ", "
              + highWaterBytes
              + ", "
              + maxQueuedBytes);
    }
    if (streamWindowBytes < 1 || connectionWindowBytes < streamWindowBytes) {
      throw new IllegalArgumentException(
          "a stream window must be at least 1 byte and at most the connection's");
    }
    if (maxUnopened < 1) {
      throw new IllegalArgumentException("one connection must be let in at least");
    }
  }

  /**
   * The defaults: 3 s idle, 1 s to connect, 1 MiB high water, 16 MiB at most, windows of 16 and 8
   * MiB, 256 unopened.
   */
  public static QuicOptions defaults() {
    return new QuicOptions(
        Duration.ofSeconds(3),
        Duration.ofSeconds(1),
        MIB,
        MIB / 4,
        16L * MIB,
        16L * MIB,
        8L * MIB,
        4 * MIB,
        256,
        HandshakeLimits.defaults());
  }

  /** These options with another idle timeout. */
  public QuicOptions withIdleTimeout(Duration timeout) {
    return new QuicOptions(
        timeout,
        connectTimeout,
        highWaterBytes,
        lowWaterBytes,
        maxQueuedBytes,
        connectionWindowBytes,
        streamWindowBytes,
        socketBufferBytes,
        maxUnopened,
        handshakes);
  }

  /** These options with another {@link #connectTimeout}. */
  public QuicOptions withConnectTimeout(Duration timeout) {
    return new QuicOptions(
        idleTimeout,
        timeout,
        highWaterBytes,
        lowWaterBytes,
        maxQueuedBytes,
        connectionWindowBytes,
        streamWindowBytes,
        socketBufferBytes,
        maxUnopened,
        handshakes);
  }

  /** These options with other limits of a stream's queue, in bytes. */
  public QuicOptions withQueue(int highWater, int lowWater, long maximum) {
    return new QuicOptions(
        idleTimeout,
        connectTimeout,
        highWater,
        lowWater,
        maximum,
        connectionWindowBytes,
        streamWindowBytes,
        socketBufferBytes,
        maxUnopened,
        handshakes);
  }

  /** These options with another limit of connections without a session. */
  public QuicOptions withMaxUnopened(int maximum) {
    return new QuicOptions(
        idleTimeout,
        connectTimeout,
        highWaterBytes,
        lowWaterBytes,
        maxQueuedBytes,
        connectionWindowBytes,
        streamWindowBytes,
        socketBufferBytes,
        maximum,
        handshakes);
  }

  /** These options with other limits of handshakes. */
  public QuicOptions withHandshakes(HandshakeLimits limits) {
    return new QuicOptions(
        idleTimeout,
        connectTimeout,
        highWaterBytes,
        lowWaterBytes,
        maxQueuedBytes,
        connectionWindowBytes,
        streamWindowBytes,
        socketBufferBytes,
        maxUnopened,
        limits);
  }
}
