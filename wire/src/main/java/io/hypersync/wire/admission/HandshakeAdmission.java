package io.hypersync.wire.admission;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Who may begin a handshake now. Anybody can ask for one with a single packet, which may be a copy
 * of somebody else's and bear any sender; and a handshake costs a hundred times as much as it costs
 * to ask for it.
 *
 * <p>While there is no crowd the first packet begins it. In a crowd the stranger has to send a
 * token back first that only somebody at that address has been given (RFC 9000 8.1.2): a worker
 * does at once. What proves its address is limited for each source, so that one host cannot take
 * the place of all; what does not is limited for all together only, since a limit for each address
 * would let anybody use up that of somebody else.
 *
 * <p>Packets of connections that there are do not come here. Used by one thread.
 */
public final class HandshakeAdmission {
  /** What happens to a first packet. */
  public enum Verdict {
    /** A handshake is begun. */
    BEGIN,
    /** The sender is asked to prove its address. */
    PROVE,
    /** Nothing, and nobody is told. */
    DROP
  }

  private final HandshakeLimits limits;
  private final TokenBucket unproven;
  private final TokenBucket proven;
  private final TokenBucket retries;
  private final Map<SourceNetwork, TokenBucket> sources;

  /**
   * Nobody has come yet.
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
   * A first packet that proves nothing.
   *
   * @param unopened how many connections there are that are not open
   */
  public Verdict unproven(int unopened, long nowNs) {
    if (unopened < limits.unprovenUnopened() && unproven.tryTake(nowNs)) {
      return Verdict.BEGIN;
    }
    return retries.tryTake(nowNs) ? Verdict.PROVE : Verdict.DROP;
  }

  /** A first packet that proves where it comes from: true if a handshake is begun. */
  public boolean proven(SourceNetwork source, long nowNs) {
    TokenBucket its =
        sources.computeIfAbsent(
            source,
            _ -> new TokenBucket(limits.perSourcePerSecond(), limits.perSourceBurst(), nowNs));
    // In this order: what a source may not have is not taken from the others.
    return its.tryTake(nowNs) && proven.tryTake(nowNs);
  }

  /** How many sources are remembered. */
  int sources() {
    return sources.size();
  }
}
