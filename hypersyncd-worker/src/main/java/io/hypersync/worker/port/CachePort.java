package io.hypersync.worker.port;

/**
 * Measures a worker's chunk store and removes chunks from it, off the agent's thread, one thing at
 * a time. {@link #measure}, {@link #begin} and {@link #collect} are answered once, by a method of
 * {@code ChunkCache}, unless the worker stops.
 */
public interface CachePort {
  /** A port for workers whose store is never collected. */
  CachePort NONE =
      new CachePort() {
        @Override
        public void measure() {
          throw new IllegalStateException("this worker does not collect");
        }

        @Override
        public void begin(long stateBytes) {
          throw new IllegalStateException("this worker does not collect");
        }

        @Override
        public void collect(CacheRoots roots) {
          throw new IllegalStateException("this worker does not collect");
        }

        @Override
        public void giveUp() {
          throw new IllegalStateException("this worker does not collect");
        }

        @Override
        public void abandon() {
          throw new IllegalStateException("this worker does not collect");
        }
      };

  /** Answered by {@code measured} or {@code notMeasured}. */
  void measure();

  /**
   * Begins a run: from the answer on, the store keeps what is put into it and what it says is here.
   * Answered by {@code begun} or {@code failed}.
   *
   * @param stateBytes about how many bytes of heap the state takes
   */
  void begin(long stateBytes);

  /**
   * Marks what is needed, and removes the rest. Answered by {@code ended} or {@code failed}, or by
   * {@code WorkerAgent.pageMissing}.
   */
  void collect(CacheRoots roots);

  /** Ends the run under way as soon as possible; it is answered by {@code failed} then. */
  void giveUp();

  /** Ends a run that has begun, in place of {@link #collect}. Not answered. */
  void abandon();
}
