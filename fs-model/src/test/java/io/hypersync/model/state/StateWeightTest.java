package io.hypersync.model.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The weight of a state, computed op by op and as a whole, must agree. */
class StateWeightTest {
  private static final int OPS = 5_000;
  private static final int KEPT_EVERY = 100;
  private static final int RESTORED_EVERY = 230;

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void whatIsAddedUpIsWhatIsThere(long seed) {
    RandomOps ops = new RandomOps(seed);
    FsState state = FsState.genesis();
    long weight = StateWeight.of(state);
    Set<Class<?>> seen = new HashSet<>();
    StoredStates earlier = new StoredStates();
    for (int i = 0; i < OPS; i++) {
      if (i % KEPT_EVERY == 0) {
        earlier.add(state);
      }
      FsOp op =
          i % RESTORED_EVERY == RESTORED_EVERY - 1
              ? ops.restore(earlier.manifests())
              : FsStateMachine.resolve(state, ops.next());
      Stamp stamp = ops.stamp(1 + i);
      if (FsStateMachine.apply(state, op, stamp, earlier)
          instanceof Outcome.Applied(FsState next)) {
        ops.applied(op, stamp);
        StateWeight.Step step = StateWeight.step(weight, op, stamp.newNode(), state, next);
        long change = step.weight() - weight;
        assertEquals(change, step.change());
        weight = step.weight();
        state = next;
        seen.add(op.getClass());
        if (i % 10 == 0 || i == OPS - 1) {
          assertEquals(StateWeight.of(state), weight, "seed " + seed + " op " + i + " " + op);
        }
        if (!(op instanceof FsOp.RestoreState)) {
          assertEquals(Math.max(change, 0), step.fresh());
        }
        if (op instanceof FsOp.Unlink || op instanceof FsOp.RemoveDir) {
          assertTrue(change <= 0, "what takes a name away frees: " + op);
        }
      }
    }
    assertEquals(FsOp.class.getPermittedSubclasses().length, seen.size(), "ops that were applied");
  }

  /** What a restored state has is in pages; only what is kept beside it is new. */
  @Test
  void whatIsRestoredIsNotFresh() {
    StoredStates earlier = new StoredStates();
    Scenario fs = new Scenario();
    for (int i = 0; i < 100; i++) {
      fs.file("/f" + i);
    }
    byte[] manifest = earlier.add(fs.state());
    FsState empty = FsState.genesis().withNextInode(fs.state().nextInode() + 1);
    Stamp stamp = new Stamp(99, new NodeId(5, 5));
    FsOp make = new FsOp.CreateFile(FsState.ROOT, Name.of("open"), 0644, 0, 0);
    FsState before = ((Outcome.Applied) FsStateMachine.apply(empty, make, stamp)).state();
    long weight = StateWeight.of(before);
    for (List<NodeId> open : List.of(List.<NodeId>of(), List.of(stamp.newNode()))) {
      FsOp op = new FsOp.RestoreState(manifest, open);
      FsState after = ((Outcome.Applied) FsStateMachine.apply(before, op, stamp, earlier)).state();
      StateWeight.Step step = StateWeight.step(weight, op, stamp.newNode(), before, after);
      assertEquals(StateWeight.of(after), step.weight());
      assertEquals(step.weight() - StateWeight.of(fs.state()), step.fresh());
      assertTrue(step.change() > 10 * step.fresh(), step.toString());
    }
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
    return StateWeight.step(0, op, stamp.newNode(), before, applied.state()).change();
  }
}
