package io.hypersync.model.state;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.trie.RootVersion;
import org.jspecify.annotations.Nullable;

/**
 * Runs the same ops on the state machine and on the naive model, which must agree on every errno.
 */
final class SideBySide {
  private SideBySide() {}

  /** A further comparison of the two. */
  @FunctionalInterface
  interface Comparison {
    void compare(ReferenceFileSystem naive, FsState state, RandomOps ops, String where);
  }

  /**
   * Runs a history.
   *
   * @param version how the state is hashed
   * @param count the number of ops
   * @param every the number of ops between comparisons; there is also one after the last op
   */
  static void run(long seed, RootVersion version, int count, int every, Comparison comparison) {
    RandomOps ops = new RandomOps(seed);
    ReferenceFileSystem naive = new ReferenceFileSystem(ops.chunks());
    FsState state = FsState.genesis(version);
    for (int i = 0; i < count; i++) {
      FsOp op = FsStateMachine.resolve(state, ops.next());
      String where = "seed " + seed + " op " + i + " " + op;
      Stamp stamp = ops.stamp(1 + i);
      Errno expected = naive.perform(op, stamp);
      Outcome outcome = FsStateMachine.apply(state, op, stamp);
      assertEquals(expected, errno(outcome), where);
      if (outcome instanceof Outcome.Applied(FsState next)) {
        ops.applied(op, stamp);
        state = next;
      }
      if (i % every == 0 || i == count - 1) {
        comparison.compare(naive, state, ops, where);
      }
    }
  }

  static @Nullable Errno errno(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Applied _ -> null;
      case Outcome.Failed(Errno errno) -> errno;
    };
  }
}
