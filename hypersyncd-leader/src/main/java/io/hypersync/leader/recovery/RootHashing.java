package io.hypersync.leader.recovery;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.state.FsState;

/** Port: computes the roots of states, perhaps beside whoever asks (hypersync.md 8.1.1). */
public interface RootHashing {
  /** Computes them on the thread that asks, before {@link #begin} returns. */
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

  /** Has the root of a state computed. Its tries may keep their hashes under two threads. */
  Root begin(FsState state);

  /** A root that is known, or will be. */
  interface Root {
    /** Whether {@link #await} returns at once. */
    boolean isKnown();

    /** The root, when it is known. A fault of the computation is thrown here as it was there. */
    Hash await();
  }
}
