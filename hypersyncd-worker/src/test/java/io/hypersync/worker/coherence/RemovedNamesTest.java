package io.hypersync.worker.coherence;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.Entries;
import io.hypersync.fixtures.States;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.state.FsState;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which nodes a path walk may have reached by a name that another host has taken away since. */
class RemovedNamesTest {
  private static final WorkerId SELF = new WorkerId("self");
  private static final WorkerId OTHER = new WorkerId("other");
  private static final List<String> ALL = List.of("a", "b", "c", "d/f");

  private final RemovedNames names = new RemovedNames(SELF);
  private final List<NodeId> nodes = new ArrayList<>();
  private FsState state = FsState.genesis();
  private long index;
  private long nowNs = 7;

  @BeforeEach
  void threeFilesAndADirectoryWithOne() {
    for (String name : List.of("a", "b", "c")) {
      nodes.add(apply(OTHER, new FsOp.CreateFile(FsState.ROOT, Name.of(name), 0644, 0, 0)));
    }
    NodeId directory = apply(OTHER, new FsOp.MakeDir(FsState.ROOT, Name.of("d"), 0755, 0, 0));
    nodes.add(apply(OTHER, new FsOp.CreateFile(directory, Name.of("f"), 0644, 0, 0)));
    assertEquals(List.of(), lost());
  }

  @Test
  void whoseNameIsUnlinkedOrMovedHasLostIt() {
    apply(OTHER, new FsOp.Unlink(FsState.ROOT, Name.of("a")));
    assertEquals(List.of("a"), lost());
    apply(OTHER, rename("b", "c", RenameMode.REPLACE));
    assertEquals(List.of("a", "b", "c"), lost(), "and whose place it took");
  }

  @Test
  void anExchangeTakesBothNames() {
    apply(OTHER, rename("a", "b", RenameMode.EXCHANGE));
    assertEquals(List.of("a", "b"), lost());
  }

  @Test
  void aDirectoryThatIsMovedMisleadsToAnythingBelow() {
    apply(OTHER, rename("d", "e", RenameMode.REPLACE));
    assertEquals(ALL, lost());
  }

  @Test
  void aDirectoryThatAnExchangeMovesDoesSoToo() {
    apply(OTHER, rename("a", "d", RenameMode.EXCHANGE));
    assertEquals(ALL, lost());
  }

  @Test
  void ownCallsDoNotCount() {
    apply(SELF, new FsOp.Unlink(FsState.ROOT, Name.of("a")));
    apply(SELF, rename("d", "e", RenameMode.REPLACE));
    assertEquals(List.of(), lost());
  }

  @Test
  void itIsForgottenWhenNoWalkCanBeUnderWay() {
    apply(OTHER, new FsOp.Unlink(FsState.ROOT, Name.of("a")));
    apply(OTHER, rename("d", "e", RenameMode.REPLACE));
    nowNs += RemovedNames.LATELY_NS - 1;
    assertEquals(ALL, lost());
    nowNs++;
    assertEquals(List.of(), lost());
  }

  @Test
  void tooManyToRememberAreAll() {
    NodeId many = nodes.getFirst();
    apply(OTHER, new FsOp.Link(many, FsState.ROOT, Name.of("link")));
    FsState linked = state;
    for (int i = 0; i < RemovedNames.MAX_NODES; i++) {
      NodeId made = apply(OTHER, new FsOp.CreateFile(FsState.ROOT, Name.of("x"), 0644, 0, 0));
      apply(OTHER, new FsOp.Unlink(FsState.ROOT, Name.of("x")));
      assertTrue(names.hasLost(made, nowNs));
      state = linked;
    }
    assertFalse(names.hasLost(many, nowNs));
    apply(OTHER, new FsOp.Unlink(FsState.ROOT, Name.of("b")));
    assertEquals(ALL, lost());
  }

  private List<String> lost() {
    List<String> lost = new ArrayList<>();
    for (int i = 0; i < nodes.size(); i++) {
      if (names.hasLost(nodes.get(i), nowNs)) {
        lost.add(ALL.get(i));
      }
    }
    return lost;
  }

  private static FsOp rename(String from, String to, RenameMode mode) {
    return new FsOp.Rename(FsState.ROOT, Name.of(from), FsState.ROOT, Name.of(to), mode);
  }

  private NodeId apply(WorkerId origin, FsOp op) {
    index++;
    NodeId made = new NodeId(1, index);
    FsState before = state;
    state = States.after(before, op, index, made);
    LogEntry entry = Entries.of(index, op).origin(origin).creating(made).entry();
    names.applied(entry, before, nowNs);
    return made;
  }
}
