package io.hypersync.leader.recovery;

import io.hypersync.model.state.FsState;

/**
 * Stores a state that a replay has reached, so that the next start goes on from there. A leader
 * that is killed again and again before it has replayed its log would begin anew each time.
 */
public interface ReplaySaver {
  /** Stores nothing. */
  ReplaySaver NONE =
      new ReplaySaver() {
        @Override
        public boolean isDue(long index) {
          return false;
        }

        @Override
        public void save(FsState state, long index, long lastTimeNs, long weight) {
          throw new IllegalStateException("it is never due");
        }
      };

  /** Whether the state after this entry is to be stored. */
  boolean isDue(long index);

  /**
   * Stores a state. All of its entries are durable, and so are their chunks, as far as the store
   * has them; its root was compared. A failure is logged, and nothing is stored.
   *
   * @param lastTimeNs the time of its last entry, in nanoseconds since 1970
   * @param weight about how many bytes of heap it takes
   */
  void save(FsState state, long index, long lastTimeNs, long weight);
}
