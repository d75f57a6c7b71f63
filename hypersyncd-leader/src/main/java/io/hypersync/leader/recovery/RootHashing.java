package io.hypersync.leader.recovery;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.state.FsState;

/** Port: computes the roots of states, possibly on another thread (hypersync.md 8.1.1). */
public interface RootHashing {
  /** Computes each root on the calling thread, before {@link #begin} returns. */
  RootHashing AT_ONCE =
      state -> {
        Hash root = state.root();
        return new Root() {
          @Override
          public boolean isKnown() {
            return true;
          }

          @Override
          public Hash await() {
            return root;
          }
        };
      };

  /**
   * Starts computing the root of a state. Its tries may cache hashes concurrently from two threads.
   */
  Root begin(FsState state);

  /** The root of one state, computed already or being computed. */
  interface Root {
    /** Whether {@link #await} returns at once. */
    boolean isKnown();

    /** Blocks until the root is known and returns it; rethrows what the computation threw. */
    Hash await();
  }
}
