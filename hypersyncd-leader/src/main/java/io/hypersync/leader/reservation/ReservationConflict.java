package io.hypersync.leader.reservation;

/** Two reservations that are in each other's way; the one that ends later first. */
public record ReservationConflict(Reservation one, Reservation other) {
  /** Whether two reservations that overlap are of different agents, and at least one exclusive. */
  static boolean isBetween(Reservation one, Reservation other) {
    return !one.holder().is(other.holder().agent())
        && (one.holder().exclusive() || other.holder().exclusive());
  }
}
