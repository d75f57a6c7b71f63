package io.hypersync.wire.admission;

/**
 * How many handshakes strangers can make a leader begin. One takes its loop about a millisecond, on
 * the thread that sequences, before anything is known about who asks for it.
 *
 * @param unprovenUnopened while fewer connections than this are not open, an address need not be
 *     proven
 * @param unprovenPerSecond so many handshakes a second are begun with addresses that are not proven
 * @param unprovenBurst so many of them at once
 * @param perSecond so many handshakes a second are begun with addresses that are proven
 * @param burst so many of them at once
 * @param perSourcePerSecond so many of them with one source: an IPv4 address, or an IPv6 /64
 * @param perSourceBurst so many of them at once: a host with many workers that start together
 * @param maxSources so many sources are remembered, those heard from last
 * @param retriesPerSecond so many strangers a second are asked to prove their address, which takes
 *     some 20 microseconds
 * @param retriesBurst so many of them at once
 * @param tokenLifeMs how long what proves an address does so
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

  /** Handshakes take a tenth of a second's time of the loop at most, and so do proofs. */
  public static HandshakeLimits defaults() {
    return new HandshakeLimits(8, 20, 16, 100, 128, 40, 80, 4_096, 5_000, 500, 10_000);
  }
}
