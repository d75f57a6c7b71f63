package io.hypersync.model.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.difference.StateDifference.Limits;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.FsOp.SetAttributes;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.op.XattrMode;
import io.hypersync.model.restore.GuardedOps;
import io.hypersync.model.restore.RestoreAction;
import io.hypersync.model.restore.RestorePlan;
import io.hypersync.model.restore.RestorePlanner;
import io.hypersync.model.restore.RestoreSteps;
import io.hypersync.model.restore.UnrestorableException;
import io.hypersync.model.state.NodeContent.Directory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What restoring a path does, as a table, and for random histories. */
class RestorePlannerTest {
  private static final long LATER = 1_000_000;

  record Row(
      String what,
      String path,
      Consumer<Scenario> setup,
      Consumer<Scenario> then,
      String expected) {
    @Override
    public String toString() {
      return what;
    }
  }

  private static Row row(
      String what, Consumer<Scenario> setup, Consumer<Scenario> then, String... expected) {
    return new Row(what, "", setup, then, String.join("\n", expected));
  }

  private static Row below(
      String path,
      String what,
      Consumer<Scenario> setup,
      Consumer<Scenario> then,
      String... expected) {
    return new Row(path + ": " + what, path, setup, then, String.join("\n", expected));
  }

  private static void tree(Scenario s) {
    s.dir("/a").dir("/a/sub").file("/a/f").file("/a/sub/g").dir("/b").file("/b/h").file("/top");
    s.did(s.write("/a/f", 0, s.chunk("f", 5)));
    s.did(s.write("/a/sub/g", 0, s.chunk("g", 5)));
  }

  static Stream<Row> rows() {
    return Stream.of(
        row("nothing", RestorePlannerTest::tree, s -> {}),
        row(
            "what was made is removed",
            RestorePlannerTest::tree,
            s -> s.dir("/n").dir("/n/m").file("/n/m/x").link("/l", "a"),
            "REMOVED n/m/x",
            "REMOVED n/m",
            "REMOVED n",
            "REMOVED l",
            "TIMES ."),
        row(
            "what was removed is made",
            RestorePlannerTest::tree,
            s -> s.did(s.unlink("/a/sub/g")).did(s.rmdir("/a/sub")),
            "MADE a/sub",
            "MADE a/sub/g",
            "TIMES a",
            "TIMES a/sub"),
        row(
            "changed in place",
            RestorePlannerTest::tree,
            s -> s.did(s.write("/a/f", 2, s.chunk("x", 9))),
            "CHANGED a/f"),
        row(
            "saved by a rename",
            RestorePlannerTest::tree,
            s -> {
              s.file("/a/t").did(s.write("/a/t", 0, s.chunk("x", 9)));
              s.did(s.rename("/a/t", "/a/f", RenameMode.REPLACE));
            },
            "REPLACED a/f",
            "TIMES a"),
        row(
            "the old one kept beside it",
            RestorePlannerTest::tree,
            s -> s.did(s.rename("/a/f", "/a/f.old", RenameMode.REPLACE)).file("/a/f"),
            "MOVED a/f",
            "TIMES a"),
        row(
            "a directory moved, its children unchanged",
            RestorePlannerTest::tree,
            s -> s.did(s.rename("/a", "/b/z", RenameMode.REPLACE)),
            "MOVED a",
            "TIMES .",
            "TIMES b"),
        row(
            "swap of two trees",
            RestorePlannerTest::tree,
            s -> s.did(s.rename("/a", "/b", RenameMode.EXCHANGE)),
            "MOVED a",
            "TIMES ."),
        row(
            "a directory moved into one that has taken its name",
            RestorePlannerTest::tree,
            s -> {
              s.did(s.rename("/a", "/t", RenameMode.REPLACE)).dir("/a");
              s.did(s.rename("/t", "/a/old", RenameMode.REPLACE));
            },
            "MOVED a",
            "REMOVED .hypersync-restore-1",
            "TIMES ."),
        row(
            "parent and child have changed places",
            RestorePlannerTest::tree,
            s -> {
              s.did(s.rename("/a/sub", "/t", RenameMode.REPLACE));
              s.did(s.rename("/a", "/t/sub", RenameMode.REPLACE));
              s.did(s.rename("/t", "/a", RenameMode.REPLACE));
            },
            "MOVED a",
            "MOVED a/sub",
            "TIMES .",
            "TIMES a",
            "TIMES a/sub"),
        row(
            "a directory made anew is kept",
            RestorePlannerTest::tree,
            s -> {
              s.did(s.unlink("/b/h")).did(s.rmdir("/b")).dir("/b", 0700).file("/b/new");
            },
            "MADE b/h",
            "REMOVED b/new",
            "CHANGED b"),
        row(
            "a directory in the place of a file, and the other way round",
            RestorePlannerTest::tree,
            s -> {
              s.did(s.unlink("/top")).dir("/top").file("/top/x");
              s.did(s.unlink("/b/h")).did(s.rmdir("/b")).file("/b");
            },
            "REPLACED b",
            "REPLACED top",
            "MADE b/h",
            "REMOVED .hypersync-restore-1/x",
            "REMOVED .hypersync-restore-1",
            "TIMES .",
            "TIMES b"),
        row(
            "a second name made",
            RestorePlannerTest::tree,
            s -> s.did(s.hardLink("/a/f", "/b/f")),
            "REMOVED b/f",
            "TIMES b"),
        row(
            "a second name lost",
            s -> {
              tree(s);
              s.did(s.hardLink("/a/f", "/b/f"));
            },
            s -> s.did(s.unlink("/a/f")),
            "LINKED a/f",
            "TIMES a"),
        row(
            "both names lost",
            s -> {
              tree(s);
              s.did(s.hardLink("/a/f", "/b/f"));
            },
            s -> s.did(s.unlink("/a/f")).did(s.unlink("/b/f")),
            "MADE b/f",
            "LINKED a/f",
            "TIMES a",
            "TIMES b"),
        row(
            "a second name that another file has taken",
            s -> {
              tree(s);
              s.did(s.hardLink("/a/f", "/b/f"));
            },
            s -> s.did(s.unlink("/a/f")).file("/a/f"),
            "LINKED a/f",
            "TIMES a"),
        row(
            "mode, owner, attributes, mtime",
            s -> {
              tree(s);
              s.did(s.setXattr("/b/h", "user.x", s.chunk("v", 2), XattrMode.SET));
              s.did(s.setXattr("/b/h", "user.y", ChunkRef.EMPTY, XattrMode.SET));
            },
            s -> {
              s.did(s.set("/a/f", SetAttributes.MODE, 0600, 0, 0, 0));
              s.did(s.set("/top", SetAttributes.UID | SetAttributes.GID, 0, 99, 98, 0));
              s.did(s.removeXattr("/b/h", "user.x"));
              s.did(s.setXattr("/b/h", "user.z", s.chunk("v", 2), XattrMode.SET));
              s.did(s.set("/a/sub/g", SetAttributes.MTIME, 0, 0, 0, 12));
              s.did(s.set("/a", SetAttributes.MODE, 0700, 0, 0, 0));
            },
            "CHANGED a/f",
            "CHANGED a/sub/g",
            "CHANGED b/h",
            "CHANGED top",
            "CHANGED a"),
        row(
            "capabilities and set-user-id outlive a change of content and owner",
            s -> {
              tree(s);
              s.did(s.set("/a/f", SetAttributes.MODE, 04755, 0, 0, 0));
              s.did(s.setXattr("/a/f", "security.capability", s.chunk("c", 20), XattrMode.SET));
              s.did(s.set("/top", SetAttributes.MODE, 04755, 0, 0, 0));
              s.did(s.setXattr("/top", "security.capability", s.chunk("c", 20), XattrMode.SET));
            },
            s -> {
              s.did(s.writeAndKill("/a/f", 0, s.chunk("x", 9)));
              s.did(s.set("/top", SetAttributes.UID, 0, 1, 0, 0));
            },
            "CHANGED a/f",
            "CHANGED top"),
        row(
            "a group that the directory passes on",
            s -> s.dir("/d", 02775).file("/d/f").did(s.set("/d/f", SetAttributes.GID, 0, 0, 9, 0)),
            s -> {
              s.did(s.unlink("/d/f"));
              s.did(s.set("/d", SetAttributes.GID, 0, 0, 77, 0));
            },
            "MADE d/f",
            "CHANGED d"),
        row(
            "links, pipes and devices",
            s -> {
              s.link("/l", "some/where").special("/p", NodeType.FIFO, 0600);
              s.did(s.mknod("/dev", NodeType.BLOCK_DEVICE, 0660, 0x801));
              s.did(s.setXattr("/l", "trusted.x", s.chunk("v", 2), XattrMode.SET));
            },
            s -> {
              s.did(s.unlink("/l")).link("/l", "else/where");
              s.did(s.unlink("/p")).did(s.unlink("/dev"));
            },
            "MADE dev",
            "REPLACED l",
            "MADE p",
            "TIMES ."),
        row(
            "holes, sizes and parts of chunks",
            s -> {
              s.file("/f").did(s.write("/f", 10, s.chunk("c", 30)));
              s.did(s.write("/f", 20, s.chunk("d", 5))).did(s.truncate("/f", 100));
              s.file("/g").did(s.truncate("/g", 1L << 40));
            },
            s -> {
              s.did(s.truncate("/f", 22)).did(s.write("/f", 0, s.chunk("e", 12)));
              s.did(s.write("/g", 7, s.chunk("e", 12))).did(s.truncate("/g", 19));
            },
            "CHANGED f",
            "CHANGED g"),
        row(
            "what is unlinked but open stays so",
            RestorePlannerTest::tree,
            s ->
                s.remember("@f", "/a/f")
                    .did(s.unlink("/a/f"))
                    .did(s.write("@f", 0, s.chunk("x", 1))),
            "MADE a/f",
            "TIMES a"),
        below(
            "a",
            "what was moved out stays there",
            RestorePlannerTest::tree,
            s -> s.did(s.rename("/a/sub", "/b/sub", RenameMode.REPLACE)),
            "MADE a/sub",
            "MADE a/sub/g",
            "TIMES a",
            "TIMES a/sub"),
        below(
            "a",
            "the other one of two that were swapped",
            RestorePlannerTest::tree,
            s -> s.did(s.rename("/a", "/b", RenameMode.EXCHANGE)),
            "MADE a/f",
            "MADE a/sub",
            "MADE a/sub/g",
            "REMOVED a/h",
            "TIMES a",
            "TIMES a/sub"),
        below(
            "a",
            "inside its own later self",
            RestorePlannerTest::tree,
            s -> {
              s.did(s.rename("/a", "/t", RenameMode.REPLACE)).dir("/a");
              s.did(s.rename("/t", "/a/old", RenameMode.REPLACE));
            },
            "MOVED a/f",
            "MOVED a/sub",
            "REMOVED a/old",
            "TIMES a"),
        below(
            "a/sub/g",
            "one file",
            RestorePlannerTest::tree,
            s -> s.did(s.write("/a/sub/g", 0, s.chunk("x", 9))).did(s.unlink("/top")),
            "CHANGED a/sub/g"),
        below(
            "a/sub/g",
            "one file that is gone",
            RestorePlannerTest::tree,
            s -> s.did(s.unlink("/a/sub/g")),
            "MADE a/sub/g"),
        below(
            "top",
            "one file, where a directory is now",
            RestorePlannerTest::tree,
            s -> s.did(s.unlink("/top")).dir("/top").file("/top/x"),
            "REMOVED top/x",
            "REMOVED top",
            "MADE top"),
        below(
            "b",
            "one directory, where a file is now",
            RestorePlannerTest::tree,
            s -> s.did(s.unlink("/b/h")).did(s.rmdir("/b")).file("/b"),
            "REPLACED b",
            "MADE b/h",
            "TIMES b"),
        below(
            "n",
            "what was not there then",
            RestorePlannerTest::tree,
            s -> s.dir("/n").file("/n/x"),
            "REMOVED n/x",
            "REMOVED n"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void restores(Row row) throws Exception {
    Scenario scenario = new Scenario();
    row.setup.accept(scenario);
    FsState past = scenario.state();
    row.then.accept(scenario);
    FsState head = scenario.state();
    List<Name> path = RestoreWorld.names(row.path);
    RestorePlan plan = RestorePlanner.plan(head, past, path, Limits.NONE);
    assertEquals(
        row.expected.lines().sorted().toList(),
        RestoreWorld.lines(plan).stream().sorted().toList());
    Map<Hash, Integer> lengths = lengths(past);
    lengths(head).forEach((chunk, length) -> lengths.merge(chunk, length, Math::max));
    Map<Hash, Integer> known = new HashMap<>(lengths);
    known.put(scenario.chunk("c", 30).hash(), 30); // of which the states have parts
    var _ = new RestoreWorld(known::get, LATER).checked(head, past, path, row.what);
    var _ = new RestoreWorld(known::get, LATER).checked(past, head, path, "the other way round");
  }

  /** The lengths of whole chunks, as far as the state says. */
  private static Map<Hash, Integer> lengths(FsState state) {
    Map<Hash, Integer> lengths = new HashMap<>();
    for (Node node : state.nodes()) {
      if (node.content() instanceof FileContent content) {
        for (Extent extent : content.extents()) {
          lengths.merge(extent.chunk(), extent.chunkOffset() + extent.length(), Math::max);
        }
      }
      for (Xattr xattr : node.xattrs()) {
        lengths.put(xattr.value().hash(), xattr.value().length());
      }
    }
    return lengths;
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void restoresStatesOfRandomHistories(long seed) throws Exception {
    Random random = new Random(seed);
    RandomOps ops = new RandomOps(seed);
    List<FsState> states = new ArrayList<>(List.of(FsState.genesis()));
    FsState state = FsState.genesis();
    for (int i = 1; i <= 400; i++) {
      FsOp op = FsStateMachine.resolve(state, ops.next());
      Stamp stamp = ops.stamp(i);
      if (FsStateMachine.apply(state, op, stamp) instanceof Outcome.Applied(FsState next)) {
        state = next;
        ops.applied(op, stamp);
        states.add(state);
      }
    }
    for (int i = 0; i < 20; i++) {
      FsState past = states.get(random.nextInt(states.size()));
      FsState head = states.get(random.nextInt(states.size()));
      RestoreWorld world = new RestoreWorld(chunk -> ops.chunks().get(chunk).length, LATER);
      for (List<Name> path : paths(head, past, random)) {
        var _ = world.checked(head, past, path, "seed " + seed + ", restore " + i + " of " + path);
      }
    }
  }

  static Stream<Long> seeds() {
    return Stream.iterate(1L, seed -> seed + 1).limit(12);
  }

  /** The root, and two random paths of one of the states whose directories the newest one has. */
  private static List<List<Name>> paths(FsState head, FsState past, Random random) {
    List<List<Name>> all = new ArrayList<>();
    collect(head, head, FsState.ROOT, List.of(), all);
    collect(past, head, FsState.ROOT, List.of(), all);
    List<List<Name>> some = new ArrayList<>(List.of(List.of()));
    for (int i = 0; i < 2 && !all.isEmpty(); i++) {
      some.add(all.get(random.nextInt(all.size())));
    }
    return some;
  }

  private static void collect(
      FsState state, FsState head, NodeId id, List<Name> path, List<List<Name>> all) {
    Node node = state.node(id);
    Node there = head.node(FsState.ROOT);
    for (Name name : path) {
      there = there == null ? null : head.lookup(there, name);
    }
    if (node == null
        || there == null
        || there.type() != NodeType.DIRECTORY
        || !(node.content() instanceof Directory(_, var entries))) {
      return;
    }
    for (DirEntry entry : entries) {
      List<Name> below = new ArrayList<>(path);
      below.add(entry.name());
      all.add(below);
      collect(state, head, entry.node(), below, all);
    }
  }

  /** What somebody else has changed is neither lost nor overwritten; the rest is restored. */
  @Test
  void leavesAloneWhatSomebodyElseChangesMeanwhile() throws Exception {
    Scenario scenario = new Scenario();
    tree(scenario);
    FsState past = scenario.state();
    scenario.did(scenario.write("/a/f", 0, scenario.chunk("x", 9)));
    scenario.did(scenario.unlink("/a/sub/g"));
    scenario.dir("/new").file("/new/file").file("/other");
    scenario.did(scenario.set("/b", SetAttributes.MODE, 0700, 0, 0, 0));
    FsState head = scenario.state();
    Map<Hash, Integer> known = lengths(past);
    RestoreWorld world = new RestoreWorld(known::get, LATER);
    AtomicLong time = new AtomicLong(LATER * 2);
    NodeId changed = scenario.at("/a/f");
    NodeId file = scenario.at("/new/file");
    NodeId sub = scenario.at("/a/sub");
    NodeId directory = scenario.at("/b");
    ChunkRef chunk = scenario.chunk("mine", 4);
    boolean[] isDone = {false};
    FsState after =
        world.restore(
            head,
            past,
            List.of(),
            state -> {
              if (isDone[0]) {
                return state;
              }
              isDone[0] = true;
              FsState next = state;
              for (FsOp op :
                  List.of(
                      new FsOp.Write(changed, WriteMode.PWRITE, 0, List.of(chunk), false),
                      new FsOp.Write(file, WriteMode.PWRITE, 0, List.of(chunk), false),
                      new FsOp.CreateFile(sub, Name.of("g"), 0600, 1, 1),
                      new FsOp.CreateFile(directory, Name.of("mine"), 0600, 1, 1))) {
                Stamp stamp = new Stamp(time.incrementAndGet(), new NodeId(1L << 60, time.get()));
                if (FsStateMachine.apply(next, op, stamp) instanceof Outcome.Applied(FsState s)) {
                  next = s;
                }
              }
              return next;
            });
    assertEquals(List.of("a/f", "a/sub/g", "new/file", "new", "b", "a/sub"), world.refused());
    Map<String, String> tree = RestoreWorld.tree(after, List.of());
    assertTrue(tree.keySet().containsAll(List.of("/new/file", "/b/mine")), tree::toString);
    assertTrue(!tree.containsKey("/other"), tree::toString);
    for (NodeId kept : List.of(changed, file)) {
      FileContent content = (FileContent) after.node(kept).content();
      assertEquals(chunk.hash(), content.extents().first().chunk());
    }
    // Asked again, the rest is restored, too: now it is what the plan knows.
    var _ = new RestoreWorld(known::get, LATER * 3).checked(after, past, List.of(), "again");
  }

  /**
   * What somebody else has moved or renamed since the plan was made is theirs, with all that is
   * below it: its nodes are the same, and have the same parents, names and ctimes.
   */
  record Moved(
      String what,
      String path,
      Consumer<Scenario> then,
      Consumer<Scenario> meanwhile,
      String kept) {
    @Override
    public String toString() {
      return what;
    }
  }

  static Stream<Moved> moves() {
    Consumer<Scenario> made =
        s -> s.dir("/a/tmp").dir("/a/tmp/m").file("/a/tmp/x").file("/a/tmp/m/y");
    Consumer<Scenario> changed =
        s ->
            s.did(s.write("/a/sub/g", 0, s.chunk("x", 9)))
                .did(s.set("/a/sub", SetAttributes.MODE, 0700, 0, 0, 0));
    return Stream.of(
        new Moved(
            "renamed, to be removed",
            "a",
            made,
            s -> s.did(s.rename("/a/tmp", "/a/out", RenameMode.REPLACE)),
            "/a/out"),
        new Moved(
            "moved out, to be removed",
            "a",
            made,
            s -> s.did(s.rename("/a/tmp", "/safe", RenameMode.REPLACE)),
            "/safe"),
        new Moved(
            "moved out, a part of what is to be removed",
            "a",
            made,
            s -> s.did(s.rename("/a/tmp/m", "/safe", RenameMode.REPLACE)),
            "/safe"),
        new Moved(
            "moved to its old name in another directory",
            "a",
            made,
            s -> s.did(s.rename("/a/tmp", "/b/tmp", RenameMode.REPLACE)),
            "/b/tmp"),
        new Moved(
            "the path itself, with another one in its place",
            "a",
            made,
            s -> s.did(s.rename("/a", "/a.old", RenameMode.REPLACE)).dir("/a"),
            "/a.old"),
        new Moved(
            "a directory above the path",
            "a/sub",
            s -> s.file("/a/sub/new").did(s.write("/a/sub/g", 0, s.chunk("x", 9))),
            s -> s.did(s.rename("/a", "/a.old", RenameMode.REPLACE)),
            "/a.old"),
        new Moved(
            "changed in place",
            "",
            changed,
            s -> s.did(s.rename("/a", "/b/a", RenameMode.REPLACE)),
            "/b/a"),
        new Moved(
            "changed in place, swapped",
            "",
            changed,
            s -> s.did(s.rename("/a", "/b", RenameMode.EXCHANGE)),
            "/b"),
        new Moved(
            "an empty directory that somebody else has changed, to be removed",
            "",
            s -> s.dir("/b/tmp"),
            s -> s.outcome(s.set("/b/tmp", SetAttributes.MODE, 0700, 0, 0, 0)), // at another time
            "/b/tmp"),
        new Moved(
            "to be moved back out of it",
            "",
            s -> s.dir("/a/d").did(s.rename("/a/f", "/a/d/f", RenameMode.REPLACE)),
            s -> s.did(s.rename("/a/d", "/b/d", RenameMode.REPLACE)),
            "/b/d"),
        new Moved(
            "to be made in it",
            "",
            s -> s.did(s.unlink("/a/sub/g")),
            s -> s.did(s.rename("/a", "/b/a", RenameMode.REPLACE)),
            "/b/a"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("moves")
  void leavesAloneWhatIsBelowADirectoryThatSomebodyElseMovesMeanwhile(Moved row) throws Exception {
    Scenario scenario = new Scenario();
    tree(scenario);
    FsState past = scenario.state();
    row.then.accept(scenario);
    FsState head = scenario.state();
    row.meanwhile.accept(scenario);
    FsState moved = scenario.state();
    Map<Hash, Integer> known = lengths(past);
    RestoreWorld world = new RestoreWorld(known::get, LATER);
    boolean[] isDone = {false};
    FsState after =
        world.restore(
            head,
            past,
            RestoreWorld.names(row.path),
            state -> {
              FsState next = isDone[0] ? state : moved;
              isDone[0] = true;
              return next;
            });
    assertTrue(!world.refused().isEmpty());
    List<Name> kept = RestoreWorld.names(row.kept);
    assertEquals(RestoreWorld.tree(moved, kept), RestoreWorld.tree(after, kept));
  }

  /** All attributes of a node share a limit, which both states keep. */
  @Test
  void attributesThatGetSmallerComeFirst() throws Exception {
    Scenario scenario = new Scenario();
    scenario.file("/f");
    ChunkRef small = scenario.chunk("small", 2);
    ChunkRef large = scenario.chunk("large", 50);
    for (String name : List.of("user.a", "user.z")) {
      boolean isFirst = name.equals("user.a");
      scenario.did(scenario.setXattr("/f", name, isFirst ? large : small, XattrMode.SET));
    }
    FsState one = scenario.state();
    for (String name : List.of("user.a", "user.z")) {
      boolean isFirst = name.equals("user.a");
      scenario.did(scenario.setXattr("/f", name, isFirst ? small : large, XattrMode.SET));
    }
    FsState other = scenario.state();
    for (List<FsState> states : List.of(List.of(one, other), List.of(other, one))) {
      RestorePlan plan =
          RestorePlanner.plan(states.getFirst(), states.getLast(), List.of(), Limits.NONE);
      RestoreSteps steps = new RestoreSteps(plan, one.version(), _ -> 50, Limits.NONE);
      List<Integer> lengths = new ArrayList<>();
      for (GuardedOps step : steps.of(plan.actions().getFirst())) {
        if (step.ops().getFirst() instanceof FsOp.SetXattr set) {
          lengths.add(set.value().length());
        }
      }
      assertEquals(List.of(2, 50), lengths);
    }
  }

  /** Whoever may read only the old, or only the new content, never reads the other. */
  @Test
  void aFileIsClosedWhileItsContentChanges() throws Exception {
    for (int[] modes :
        new int[][] {
          {0644, 0600, 0600}, {0600, 0644, 0600}, {0755, 04755, 0755}, {0640, 0604, 0600}
        }) {
      Scenario scenario = new Scenario();
      tree(scenario);
      scenario.did(scenario.set("/a/f", SetAttributes.MODE, modes[1], 0, 0, 0));
      FsState past = scenario.state();
      scenario.did(scenario.write("/a/f", 0, scenario.chunk("later", 5)));
      scenario.did(scenario.set("/a/f", SetAttributes.MODE, modes[0], 0, 0, 0));
      RestorePlan plan = RestorePlanner.plan(scenario.state(), past, List.of(), Limits.NONE);
      RestoreSteps steps = new RestoreSteps(plan, past.version(), _ -> 5, Limits.NONE);
      int mode = modes[0];
      int seen = -1;
      for (FsOp op :
          steps.of(plan.actions().getFirst()).stream().flatMap(s -> s.ops().stream()).toList()) {
        if (op instanceof SetAttributes set && (set.mask() & SetAttributes.MODE) != 0) {
          mode = set.mode();
        } else if (op instanceof FsOp.Write) {
          seen = mode;
        }
      }
      assertEquals(modes[2], seen);
      assertEquals(modes[1], mode);
    }
  }

  @Test
  void aLostChunkCostsOneAction() throws Exception {
    Scenario scenario = new Scenario();
    tree(scenario);
    FsState past = scenario.state();
    scenario.did(scenario.unlink("/a/f")).did(scenario.unlink("/b/h"));
    RestorePlan plan = RestorePlanner.plan(scenario.state(), past, List.of(), Limits.NONE);
    RestoreSteps steps =
        new RestoreSteps(
            plan,
            past.version(),
            chunk -> {
              throw new RestoreSteps.LostChunkException(chunk);
            },
            Limits.NONE);
    List<String> lost = new ArrayList<>();
    for (RestoreAction action : plan.actions()) {
      try {
        assertTrue(!steps.of(action).isEmpty());
      } catch (RestoreSteps.LostChunkException e) {
        lost.add(action.path());
      }
    }
    assertEquals(List.of("a/f"), lost);
  }

  /** As a database leaves behind that is overwritten in small pieces. */
  @Test
  void aFileOfManyPartsReadsEachChunkOnceAndAsksForMemory() throws Exception {
    Scenario scenario = new Scenario();
    scenario.file("/f");
    ChunkRef whole = scenario.chunk("whole", 4_000);
    for (int i = 0; i < 40; i++) {
      scenario.did(scenario.write("/f", i * 4_000L, scenario.chunk("whole" + i, 4_000)));
    }
    scenario.did(scenario.write("/f", 0, whole));
    for (int i = 0; i < 160_000; i += 100) {
      scenario.did(scenario.write("/f", i, scenario.chunk("small", 10)));
    }
    FsState past = scenario.state();
    scenario.did(scenario.truncate("/f", 0));
    FsState head = scenario.state();
    Map<Hash, Integer> reads = new HashMap<>();
    RestoreSteps.ChunkLengths chunks =
        chunk -> {
          reads.merge(chunk, 1, Integer::sum);
          return chunk.equals(scenario.chunk("small", 10).hash()) ? 10 : 4_000;
        };
    AtomicLong taken = new AtomicLong();
    Limits limits =
        new Limits() {
          @Override
          public void step() {}

          @Override
          public void heap(long bytes) {
            taken.addAndGet(bytes);
          }
        };
    RestorePlan plan = RestorePlanner.plan(head, past, List.of(), Limits.NONE);
    RestoreSteps steps = new RestoreSteps(plan, past.version(), chunks, limits);
    int count = 0;
    for (RestoreAction action : plan.actions()) {
      count += steps.of(action).size();
    }
    assertTrue(count > 1_600 && count < 3_300, count + " steps for 3,200 extents");
    assertEquals(41, reads.size());
    assertEquals(1, reads.values().stream().mapToInt(Integer::intValue).max().getAsInt());
    assertTrue(taken.get() >= 400L * count, taken::toString);
    steps.done();
    assertEquals(0, taken.get());
    var _ = new RestoreWorld(chunks, LATER).checked(head, past, List.of(), "many parts");
  }

  @Test
  void saysWhyAPathCannotBeRestored() {
    Scenario scenario = new Scenario();
    tree(scenario);
    FsState past = scenario.state();
    scenario.did(scenario.rename("/a", "/z", RenameMode.REPLACE));
    FsState head = scenario.state();
    for (String path : List.of("nowhere", "a/sub/g")) {
      assertThrows(
          UnrestorableException.class,
          () -> RestorePlanner.plan(head, past, RestoreWorld.names(path), Limits.NONE));
    }
  }

  @Test
  void memoryIsAskedFor() throws Exception {
    Scenario scenario = new Scenario();
    FsState past = scenario.state();
    for (int i = 0; i < 1_000; i++) {
      scenario.did(scenario.create("/f" + i, 0644));
    }
    AtomicLong taken = new AtomicLong();
    Limits limits =
        new Limits() {
          @Override
          public void step() {}

          @Override
          public void heap(long bytes) {
            taken.addAndGet(bytes);
          }
        };
    var _ = RestorePlanner.plan(scenario.state(), past, List.of(), limits);
    assertTrue(taken.get() > 500_000 && taken.get() < 2_000_000, taken::toString);
  }
}
