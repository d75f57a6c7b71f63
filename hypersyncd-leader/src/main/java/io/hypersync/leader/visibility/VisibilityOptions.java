package io.hypersync.leader.visibility;

/**
 * How long is waited for workers that do not keep up.
 *
 * @param mode with which the leader starts
 * @param timeoutNs a worker for which the oldest acknowledgement has waited for so long gets no
 *     lease any more; then it is waited for until its lease is over, and not longer
 * @param leaseNs how long a worker's lease is, in nanoseconds of its own clock; whole milliseconds
 */
public record VisibilityOptions(Visibility mode, long timeoutNs, long leaseNs) {
  /** As long as a worker that hears nothing of its leader stays writable (hypersync.md 6.4). */
  public static final long LEASE_NS = 1_000_000_000L;

  /** What a leader does of which nothing else is said. */
  public static final VisibilityOptions DEFAULT =
      new VisibilityOptions(Visibility.OWN, 2_000_000_000L, LEASE_NS);
}
