package io.hypersync.coordination.lease;

/**
 * The times of a lease, in ns; the same for all who may hold it.
 *
 * @param ttlNs without a renewal others take it after this time, and its holder does not trust it
 *     any more
 * @param renewNs how often it is renewed: at least twice within {@code ttlNs}
 * @param acquireNs how often those look who wait for it, and how soon a renewal is tried again that
 *     has failed
 */
public record LeaseTimes(long ttlNs, long renewNs, long acquireNs) {
  private static final long SECOND_NS = 1_000_000_000L;

  /** LEASE_TTL 30 s, LEASE_RENEWAL_INTERVAL 10 s, LEASE_ACQUIRE_INTERVAL 5 s. */
  public static final LeaseTimes DEFAULT =
      new LeaseTimes(30 * SECOND_NS, 10 * SECOND_NS, 5 * SECOND_NS);

  /**
   * Checks them.
   *
   * @throws IllegalArgumentException if one is not positive, or a renewal that fails could not be
   *     tried again in time
   */
  public LeaseTimes {
    if (renewNs <= 0 || acquireNs <= 0) {
      throw new IllegalArgumentException("the times of a lease must be larger than 0");
    }
    if (ttlNs / 2 < renewNs || ttlNs - renewNs < acquireNs) {
      throw new IllegalArgumentException(
          "a lease must last for two renewals, and for a renewal and an acquisition");
    }
  }
}
