package io.hypersync.model.state;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.op.FsOp;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The model and a naive one, of maps and without a trie, agree on every errno, and on the Merkle
 * root, which the naive one computes from nothing (hypersync.md 5.2(4), 8.1). {@code
 * -Dhypersync.model.operations} makes it longer, {@code -Dhypersync.model.seed} begins elsewhere.
 */
class NaiveModelTest {
  private static final int OPERATIONS = 80_000;
  private static final int OPS_OF_A_HISTORY = 1_000;
  private static final int ROOT_EVERY = 20;

  /** The seeds of {@link RandomHistoryTest} are others. */
  private static final long FIRST_SEED = 1_000_000;

  @Test
  void everyErrnoAndEveryRootIsTheSame() {
    long operations = Long.getLong("hypersync.model.operations", OPERATIONS);
    long seed = Long.getLong("hypersync.model.seed", FIRST_SEED);
    for (long done = 0; done < operations; done += OPS_OF_A_HISTORY) {
      history(seed++);
    }
  }

  private static void history(long seed) {
    RandomOps ops = new RandomOps(seed);
    ReferenceFileSystem naive = new ReferenceFileSystem(ops.chunks());
    FsState state = FsState.genesis();
    for (int i = 0; i < OPS_OF_A_HISTORY; i++) {
      FsOp op = FsStateMachine.resolve(state, ops.next());
      String where = "seed " + seed + " op " + i;
      Stamp stamp = ops.stamp(1 + i);
      Errno expected = naive.perform(op, stamp);
      Outcome outcome = FsStateMachine.apply(state, op, stamp);
      assertEquals(expected, errno(outcome), () -> where + " " + op);
      if (outcome instanceof Outcome.Applied(FsState next)) {
        ops.applied(op, stamp);
        state = next;
      }
      if (i % ROOT_EVERY == 0 || i == OPS_OF_A_HISTORY - 1) {
        assertEquals(NaiveRoot.of(naive), state.root().toString(), () -> where + " " + op);
      }
    }
  }

  private static @Nullable Errno errno(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Applied _ -> null;
      case Outcome.Failed(Errno errno) -> errno;
    };
  }
}
