package io.hypersync.wire.admission;

/**
 * Limits on the handshakes that unauthenticated peers can make a leader begin. One handshake takes
 * about a millisecond on the event loop, the thread that also sequences, before anything is known
 * about the peer. All rates are token buckets.
 *
 * @param unprovenUnopened an address must be proven while at least so many connections are in their
 *     handshake
 * @param unprovenPerSecond handshakes a second from unproven addresses
 * @param unprovenBurst how many of them may begin at once
 * @param perSecond handshakes a second from proven addresses
 * @param burst how many of them may begin at once
 * @param perSourcePerSecond handshakes a second from one proven source: an IPv4 address or an IPv6
 *     /64
 * @param perSourceBurst how many of them may begin at once: a host may start many workers together
 * @param maxSources how many sources are remembered; the least recently used one is forgotten
 * @param retriesPerSecond Retry packets sent a second; one takes some 20 microseconds
 * @param retriesBurst how many of them may be sent at once
 * @param tokenLifeMs how long a retry token is valid
 */
public record HandshakeLimits(
    int unprovenUnopened,
    long unprovenPerSecond,
    long unprovenBurst,
    long perSecond,
    long burst,
    long perSourcePerSecond,
    long perSourceBurst,
    int maxSources,
    long retriesPerSecond,
    long retriesBurst,
    long tokenLifeMs) {

  /**
   * The defaults: handshakes and Retry packets each take about a tenth of the event loop's time at
   * most.
   */
  public static HandshakeLimits defaults() {
    return new HandshakeLimits(8, 20, 16, 100, 128, 40, 80, 4_096, 5_000, 500, 10_000);
  }
}
