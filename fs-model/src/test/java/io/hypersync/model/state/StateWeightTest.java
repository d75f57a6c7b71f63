package io.hypersync.model.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The weight of a state, computed op by op and as a whole, must agree. */
class StateWeightTest {
  private static final int OPS = 3_000;

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void whatIsAddedUpIsWhatIsThere(long seed) {
    RandomOps ops = new RandomOps(seed);
    FsState state = FsState.genesis();
    long weight = StateWeight.of(state);
    Set<Class<?>> seen = new HashSet<>();
    for (int i = 0; i < OPS; i++) {
      FsOp op = FsStateMachine.resolve(state, ops.next());
      Stamp stamp = ops.stamp(1 + i);
      if (FsStateMachine.apply(state, op, stamp) instanceof Outcome.Applied(FsState next)) {
        ops.applied(op, stamp);
        long change = StateWeight.change(op, stamp.newNode(), state, next);
        weight += change;
        state = next;
        seen.add(op.getClass());
        if (i % 10 == 0 || i == OPS - 1) {
          assertEquals(StateWeight.of(state), weight, "seed " + seed + " op " + i + " " + op);
        }
        if (op instanceof FsOp.Unlink || op instanceof FsOp.RemoveDir) {
          assertTrue(change <= 0, "what takes a name away frees: " + op);
        }
      }
    }
    assertEquals(FsOp.class.getPermittedSubclasses().length, seen.size(), "ops that were applied");
  }

  /** A user must always be able to free memory, even beyond the limit. */
  @Test
  void toEmptyAFileFrees() {
    Scenario fs = new Scenario().file("/f");
    fs.did(fs.write("/f", 0, fs.chunk("a", 3))).did(fs.write("/f", 9, fs.chunk("b", 3)));
    FsState before = fs.state();
    FsOp shorter = new FsOp.Truncate(fs.at("/f"), 10, false);
    FsOp empty = new FsOp.Truncate(fs.at("/f"), 0, false);
    assertEquals(0, change(before, shorter));
    assertTrue(change(before, empty) < 0);
  }

  private static long change(FsState before, FsOp op) {
    Stamp stamp = new Stamp(99, new NodeId(5, 5));
    Outcome.Applied applied = (Outcome.Applied) FsStateMachine.apply(before, op, stamp);
    return StateWeight.change(op, stamp.newNode(), before, applied.state());
  }
}
