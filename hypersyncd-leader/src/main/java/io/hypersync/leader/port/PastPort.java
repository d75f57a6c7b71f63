package io.hypersync.leader.port;

/**
 * Stores states of the past off the agent's thread, one thing after the other. Each call is
 * answered once, by a method of {@code PastHolds}, in the order of the calls, unless the leader
 * stops.
 */
public interface PastPort {
  /** A port for leaders that store none. */
  PastPort NONE =
      new PastPort() {
        @Override
        public void make(String moment) {
          throw new IllegalStateException("this leader stores no states of the past");
        }

        @Override
        public void remove(long index) {
          throw new IllegalStateException("this leader stores no states of the past");
        }
      };

  /**
   * Finds a state and stores it: its pages, then durably what leads to them. Answered by {@code
   * made} or {@code failed}.
   *
   * @param moment a snapshot's name, an index, a time, how long ago, or {@code head}
   */
  void make(String moment);

  /** Forgets what leads to a state, durably. Answered by {@code removed} or {@code notRemoved}. */
  void remove(long index);
}
