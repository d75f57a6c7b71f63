package io.hypersync.wire.admission;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Decides whether a QUIC handshake may begin now. A single packet from an unauthenticated peer asks
 * for one; it may be a copy of another peer's packet with a forged sender address. A handshake
 * costs a hundred times as much as asking for it.
 *
 * <p>While few handshakes are in progress and few begin, the first packet begins one. Otherwise the
 * peer must first return a retry token, which is only ever sent to the address in question (RFC
 * 9000 8.1.2); a worker does so at once. Peers with a proven address are limited by source network,
 * so that one host cannot use up everybody's share. Unproven ones have a common limit only: with a
 * limit for each address, anybody could use up that of another host by forging it.
 *
 * <p>Packets of existing connections do not come here. Not thread-safe.
 */
public final class HandshakeAdmission {
  /** How an initial packet is handled. */
  public enum Verdict {
    /** Begin a handshake. */
    BEGIN,
    /** Send a Retry: the peer must prove its address. */
    PROVE,
    /** Ignore the packet without a response. */
    DROP
  }

  private final HandshakeLimits limits;
  private final TokenBucket unproven;
  private final TokenBucket proven;
  private final TokenBucket retries;
  private final Map<SourceNetwork, TokenBucket> sources;

  /**
   * Makes an admission that has seen no packets yet.
   *
   * @param nowNs the time of a monotonic clock, as for all other methods
   */
  public HandshakeAdmission(HandshakeLimits limits, long nowNs) {
    this.limits = limits;
    this.unproven = new TokenBucket(limits.unprovenPerSecond(), limits.unprovenBurst(), nowNs);
    this.proven = new TokenBucket(limits.perSecond(), limits.burst(), nowNs);
    this.retries = new TokenBucket(limits.retriesPerSecond(), limits.retriesBurst(), nowNs);
    this.sources =
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1L;

          @Override
          protected boolean removeEldestEntry(Map.Entry<SourceNetwork, TokenBucket> eldest) {
            return size() > limits.maxSources();
          }
        };
  }

  /**
   * Decides on an initial packet without a valid token.
   *
   * @param unopened how many connections exist whose handshake is not complete
   */
  public Verdict unproven(int unopened, long nowNs) {
    if (unopened < limits.unprovenUnopened() && unproven.tryTake(nowNs)) {
      return Verdict.BEGIN;
    }
    return retries.tryTake(nowNs) ? Verdict.PROVE : Verdict.DROP;
  }

  /** Whether an initial packet whose token proves its address begins a handshake. */
  public boolean proven(SourceNetwork source, long nowNs) {
    TokenBucket its =
        sources.computeIfAbsent(
            source,
            _ -> new TokenBucket(limits.perSourcePerSecond(), limits.perSourceBurst(), nowNs));
    // The order matters: a packet over its source's limit must not use up the common limit.
    return its.tryTake(nowNs) && proven.tryTake(nowNs);
  }

  /** How many sources are remembered. */
  int sources() {
    return sources.size();
  }
}
