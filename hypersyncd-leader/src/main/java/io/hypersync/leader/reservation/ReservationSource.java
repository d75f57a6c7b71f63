package io.hypersync.leader.reservation;

/** Where reservations are read (hypersync.md 10.3). Its methods may be called by any thread. */
public interface ReservationSource extends AutoCloseable {
  /** Nothing is configured. */
  ReservationSource NONE =
      new ReservationSource() {
        @Override
        public void start() {}

        @Override
        public ReservationView view() {
          return ReservationView.NOTHING;
        }

        @Override
        public SourceFreshness freshness(ReservationView seen) {
          return SourceFreshness.NONE;
        }

        @Override
        public void close() {}
      };

  /** Starts reading. */
  void start();

  /** What is known now. */
  ReservationView view();

  /** How far a view can be relied on now. */
  SourceFreshness freshness(ReservationView seen);

  /** Stops it; does not wait for a look that is under way. */
  @Override
  void close();
}
