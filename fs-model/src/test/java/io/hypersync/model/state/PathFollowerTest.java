package io.hypersync.model.state;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.model.difference.StateDifference.Limits;
import io.hypersync.model.history.PathFollower;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.RenameMode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Which entries change what is below a path, and where. */
class PathFollowerTest {
  private final Scenario scenario = new Scenario();
  private final List<String> told = new ArrayList<>();
  private long index = 10;

  private PathFollower follow(String path) {
    scenario.dir("/d").dir("/d/sub").file("/d/f").file("/d/sub/g").dir("/e").file("/e/h");
    return new PathFollower(scenario.state(), RestoreWorld.names(path), Limits.NONE);
  }

  private void did(PathFollower follower, Function<Scenario, FsOp> op) {
    FsOp did = op.apply(scenario);
    FsState before = scenario.state();
    index++;
    scenario.did(did, index);
    NodeId created = LogEntry.NO_NODE;
    for (Node node : scenario.state().nodes()) {
      created = before.node(node.id()) == null ? node.id() : created;
    }
    String path =
        follower.entry(UndoWorld.entry(index, "a", did, created), before, scenario.state());
    told.add(path == null ? "-" : path);
  }

  @Test
  void whatIsThereIsFollowed() {
    PathFollower d = follow("d");
    did(d, s -> s.write("/d/f", 0, s.chunk("x", 3)));
    did(d, s -> s.write("/e/h", 0, s.chunk("x", 3)));
    did(d, s -> s.create("/d/sub/n", 0644));
    did(d, s -> s.write("/d/sub/n", 0, s.chunk("x", 3)));
    did(d, s -> s.rename("/d/sub/n", "/d/m", RenameMode.REPLACE));
    did(d, s -> s.write("/d/m", 0, s.chunk("y", 3)));
    did(d, s -> s.unlink("/d/m"));
    did(d, s -> s.set("/d", FsOp.SetAttributes.MODE, 0700, 0, 0, 0));
    assertEquals(List.of("d/f", "-", "d/sub/n", "d/sub/n", "d/m", "d/m", "d/m", "d"), told);
  }

  @Test
  void whatIsMovedInIsFollowedAndWhatIsMovedOutNotAnyMore() {
    PathFollower d = follow("d");
    did(d, s -> s.rename("/e", "/d/e", RenameMode.REPLACE));
    did(d, s -> s.write("/d/e/h", 0, s.chunk("x", 3)));
    did(d, s -> s.rename("/d/sub", "/sub", RenameMode.REPLACE));
    did(d, s -> s.write("/sub/g", 0, s.chunk("x", 3)));
    assertEquals(List.of("d/e", "d/e/h", "d/sub", "-"), told);
  }

  @Test
  void aPathThatLeadsElsewhereNow() {
    PathFollower sub = follow("d/sub");
    did(sub, s -> s.rename("/d", "/t", RenameMode.REPLACE));
    did(sub, s -> s.write("/t/sub/g", 0, s.chunk("x", 3)));
    did(sub, s -> s.mkdir("/d", 0755));
    did(sub, s -> s.mkdir("/d/sub", 0755));
    did(sub, s -> s.create("/d/sub/n", 0644));
    assertEquals(List.of("d/sub", "-", "-", "d/sub", "d/sub/n"), told);
  }

  @Test
  void oneFileAndEverything() {
    PathFollower f = follow("d/f");
    did(f, s -> s.write("/d/f", 0, s.chunk("x", 3)));
    did(f, s -> s.write("/d/sub/g", 0, s.chunk("x", 3)));
    did(f, s -> s.unlink("/d/f"));
    assertEquals(List.of("d/f", "-", "d/f"), told);
    told.clear();
    PathFollower all = new PathFollower(scenario.state(), List.of(), Limits.NONE);
    did(all, s -> s.create("/n", 0644));
    did(all, s -> s.set("/", FsOp.SetAttributes.MODE, 0700, 0, 0, 0));
    assertEquals(List.of("n", "."), told);
  }
}
