package io.hypersync.wire.quic;

import io.hypersync.wire.admission.HandshakeLimits;
import java.time.Duration;

/**
 * Limits of a transport. Both sides may differ, but for the idle timeout, of which the smaller one
 * counts.
 *
 * @param idleTimeout a connection that was silent for so long is dead; heartbeats must be more
 *     frequent
 * @param connectTimeout how long one attempt may take
 * @param highWaterBytes a stream with so much queued is not writable
 * @param lowWaterBytes it is again when so little is left
 * @param maxQueuedBytes a stream with more queued than this ends its connection
 * @param connectionWindowBytes how much a peer may have under way to us on all streams
 * @param streamWindowBytes how much a peer may have under way to us on one stream
 * @param socketBufferBytes SO_RCVBUF and SO_SNDBUF asked for; the kernel may give less
 * @param maxUnopened so many connections that have no session yet a leader keeps, the newest ones:
 *     anybody can begin one, without a certificate
 * @param handshakes how many of them a leader begins
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

  /** Rejects limits that contradict each other. */
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
   * 3 s idle, 1 s to connect, 1 MiB high water, 16 MiB at most, windows of 16 and 8 MiB, 256
   * unopened.
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

  /** The same with another idle timeout. */
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

  /** The same with another limit for one attempt to connect. */
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

  /** The same with other limits for what may be queued on a stream. */
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

  /** The same with another limit for connections that have no session yet. */
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

  /** The same with other limits for handshakes. */
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
