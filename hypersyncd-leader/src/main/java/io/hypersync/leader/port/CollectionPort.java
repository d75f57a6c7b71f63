package io.hypersync.leader.port;

/**
 * Collects dead chunks off the agent's thread, one run at a time. Each call of {@link #begin} and
 * {@link #collect} is answered once, by a method of {@code CollectionManager}, unless the leader
 * stops.
 */
public interface CollectionPort {
  /** A port for leaders that never collect. */
  CollectionPort NONE =
      new CollectionPort() {
        @Override
        public void begin() {
          throw new IllegalStateException("this leader does not collect");
        }

        @Override
        public void collect(CollectionRoots roots) {
          throw new IllegalStateException("this leader does not collect");
        }

        @Override
        public void abandon() {
          throw new IllegalStateException("this leader does not collect");
        }
      };

  /**
   * Begins a run: from the answer on, the store keeps what is put into it and what it says is here.
   * Chunks that were stored before have been reported to the agent before the answer. Answered by
   * {@code begun} or {@code failed}.
   */
  void begin();

  /**
   * Marks what these lead to, and removes the rest. Answered by {@code ended} or {@code failed}.
   */
  void collect(CollectionRoots roots);

  /** Ends a run that has begun, in place of {@link #collect}. Not answered. */
  void abandon();
}
