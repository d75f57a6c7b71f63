package io.hypersync.worker.coherence;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.hypersync.fixtures.States;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.state.FsState;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Which of the directories /, /a, /b and /a/c an unanswered call holds locked in the kernel. */
class DirectoryLocksTest {
  private static final NodeId A = new NodeId(7, 1);
  private static final NodeId B = new NodeId(7, 2);
  private static final NodeId C = new NodeId(7, 3);
  private static final NodeId FILE = new NodeId(7, 4);
  private static final Name X = Name.of("x");
  private static final FsState STATE =
      after(
          mkdir(FsState.ROOT, "a"),
          mkdir(FsState.ROOT, "b"),
          mkdir(A, "c"),
          new FsOp.CreateFile(A, Name.of("file"), 0644, 0, 0));

  @ParameterizedTest(name = "{0} locks {1}, perhaps {2}")
  @MethodSource("calls")
  void locked(FsOp op, List<NodeId> certainly, List<NodeId> perhaps) {
    assertEquals(certainly, those(directory -> DirectoryLocks.holds(op, directory)), "certainly");
    assertEquals(
        perhaps, those(directory -> DirectoryLocks.mayHold(op, directory, STATE)), "perhaps");
  }

  private static List<NodeId> those(Predicate<NodeId> condition) {
    return Stream.of(FsState.ROOT, A, B, C).filter(condition).toList();
  }

  static Stream<Arguments> calls() {
    List<NodeId> none = List.of();
    NodeId root = FsState.ROOT;
    return Stream.of(
        arguments(new FsOp.CreateFile(A, X, 0644, 0, 0), List.of(A), List.of(A)),
        arguments(mkdir(A, "x"), List.of(A), List.of(A)),
        arguments(new FsOp.Link(FILE, B, X), List.of(B), List.of(B)),
        arguments(new FsOp.Unlink(A, Name.of("file")), List.of(A), List.of(A)),
        arguments(new FsOp.RemoveDir(A, Name.of("c")), List.of(A), List.of(A, C)),
        arguments(new FsOp.RemoveDir(A, X), List.of(A), List.of(A)),
        arguments(rename(A, "file", A, "x"), List.of(A), List.of(A)),
        arguments(rename(A, "file", B, "x"), List.of(A, B), List.of(A, B)),
        arguments(rename(A, "c", A, "x"), List.of(A), List.of(A)),
        arguments(rename(A, "c", B, "x"), List.of(A, B), List.of(A, B, C)),
        arguments(rename(root, "b", root, "a"), List.of(root), List.of(root, A)),
        arguments(rename(root, "b", A, "c"), List.of(root, A), List.of(root, A, B, C)),
        arguments(new FsOp.Truncate(FILE, 0, false), none, none),
        arguments(new FsOp.SetAttributes(A, FsOp.SetAttributes.MODE, 0700, 0, 0, 0), none, none),
        arguments(new FsOp.ReapOrphans(List.of(A)), none, none));
  }

  private static FsOp mkdir(NodeId parent, String name) {
    return new FsOp.MakeDir(parent, Name.of(name), 0755, 0, 0);
  }

  private static FsOp rename(NodeId from, String name, NodeId to, String newName) {
    return new FsOp.Rename(from, Name.of(name), to, Name.of(newName), RenameMode.REPLACE);
  }

  private static FsState after(FsOp... ops) {
    FsState state = FsState.genesis();
    for (int i = 0; i < ops.length; i++) {
      state = States.after(state, ops[i], i + 1, new NodeId(7, i + 1));
    }
    return state;
  }
}
