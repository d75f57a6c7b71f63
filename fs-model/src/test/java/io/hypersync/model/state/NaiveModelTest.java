package io.hypersync.model.state;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.model.trie.RootVersion;
import org.junit.jupiter.api.Test;

/**
 * The state machine and a naive model without a trie agree on every errno and on the Merkle root,
 * which the naive model computes from scratch (hypersync.md 5.2(4), 8.1). {@code
 * -Dhypersync.model.operations} sets the number of ops, {@code -Dhypersync.model.seed} the first
 * seed.
 */
class NaiveModelTest {
  private static final int OPERATIONS = 80_000;
  private static final int OPS_OF_A_HISTORY = 1_000;
  private static final int ROOT_EVERY = 20;

  /** Every how many histories one has roots of version 1. */
  private static final int VERSION_1_EVERY = 4;

  /** Different from the seeds of {@link RandomHistoryTest}. */
  private static final long FIRST_SEED = 1_000_000;

  @Test
  void everyErrnoAndEveryRootIsTheSame() {
    long operations = Long.getLong("hypersync.model.operations", OPERATIONS);
    long seed = Long.getLong("hypersync.model.seed", FIRST_SEED);
    for (long done = 0; done < operations; done += OPS_OF_A_HISTORY) {
      RootVersion version = seed % VERSION_1_EVERY == 0 ? RootVersion.V1 : RootVersion.V2;
      SideBySide.run(
          seed++,
          version,
          OPS_OF_A_HISTORY,
          ROOT_EVERY,
          (naive, state, _, where) ->
              assertEquals(NaiveRoot.of(naive, version), state.root().toString(), where));
    }
  }
}
