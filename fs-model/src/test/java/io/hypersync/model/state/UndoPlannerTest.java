package io.hypersync.model.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.difference.StateDifference.Limits;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.history.NameChange;
import io.hypersync.model.history.NamePlace;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.FsOp.SetAttributes;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.op.XattrMode;
import io.hypersync.model.undo.UndoAgent;
import io.hypersync.model.undo.UndoHistory;
import io.hypersync.model.undo.UndoPlan;
import io.hypersync.model.undo.UndoPlanner;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What undoing an agent does, as a table, and for random histories of two agents. */
class UndoPlannerTest {
  private static final long LATER = 1_000_000;

  record Row(String what, String path, boolean force, Consumer<UndoWorld> did, String expected) {
    @Override
    public String toString() {
      return what + (path.isEmpty() ? "" : ", of " + path) + (force ? ", forced" : "");
    }
  }

  private static Row row(String what, Consumer<UndoWorld> did, String... expected) {
    return new Row(what, "", false, did, String.join("\n", expected));
  }

  private static Row forced(String what, Consumer<UndoWorld> did, String... expected) {
    return new Row(what, "", true, did, String.join("\n", expected));
  }

  private static Row below(String path, String what, Consumer<UndoWorld> did, String... expected) {
    return new Row(what, path, false, did, String.join("\n", expected));
  }

  private static Scenario tree() {
    Scenario s = new Scenario();
    s.dir("/d").dir("/d/sub").file("/d/f").file("/d/sub/g").dir("/e").file("/e/h").file("/top");
    s.did(s.write("/d/f", 0, s.chunk("f", 5)));
    s.did(s.write("/d/sub/g", 0, s.chunk("g", 5)));
    s.did(s.write("/top", 0, s.chunk("t", 5)));
    return s;
  }

  private static void replaced(UndoWorld w, String agent, String path, String content) {
    w.by(agent, s -> s.create("/d/.tmp", 0600));
    w.by(agent, s -> s.write("/d/.tmp", 0, s.chunk(content, 7)));
    w.by(agent, s -> s.rename("/d/.tmp", path, RenameMode.REPLACE));
  }

  private static void committed(UndoWorld w, String agent, String object) {
    w.by(agent, s -> s.mkdir("/d/.git", 0755));
    w.by(agent, s -> s.create("/d/.git/" + object, 0444));
  }

  /** One row for each op, alone and contested. */
  static Stream<Row> rows() {
    return Stream.of(
        row("nothing", w -> w.b(s -> s.write("/top", 0, s.chunk("x", 9)))),
        row("a file made", w -> w.a(s -> s.create("/n", 0644)), "REMOVED n"),
        row(
            "a file made and written",
            w -> w.a(s -> s.create("/n", 0644)).a(s -> s.write("/n", 0, s.chunk("x", 9))),
            "REMOVED n"),
        row(
            "a file made, and removed again",
            w -> w.a(s -> s.create("/n", 0644)).a(s -> s.unlink("/n"))),
        row(
            "a file made, then written by another one",
            w -> w.a(s -> s.create("/n", 0644)).b(s -> s.write("/n", 0, s.chunk("x", 9))),
            "left n NAME CHANGED_SINCE by b"),
        forced(
            "a file made, then written by another one",
            w -> w.a(s -> s.create("/n", 0644)).b(s -> s.write("/n", 0, s.chunk("x", 9))),
            "REMOVED n",
            "forced n NAME CHANGED_SINCE by b"),
        row(
            "a file made, then moved by another one",
            w -> w.a(s -> s.create("/n", 0644)).b(s -> s.rename("/n", "/m", RenameMode.REPLACE)),
            "left m NAME CHANGED_SINCE by b"),
        row(
            "a file made, then linked by another one: its own name goes",
            w -> w.a(s -> s.create("/n", 0644)).b(s -> s.hardLink("/n", "/m")),
            "REMOVED n"),
        row(
            "a symlink, a pipe and a device made",
            w ->
                w.a(s -> s.symlink("/l", "d"))
                    .a(s -> s.mknod("/p", NodeType.FIFO, 0600, 0))
                    .a(s -> s.mknod("/dev", NodeType.BLOCK_DEVICE, 0600, 7)),
            "REMOVED dev",
            "REMOVED l",
            "REMOVED p"),
        row(
            "a tree made",
            w ->
                w.a(s -> s.mkdir("/n", 0755))
                    .a(s -> s.mkdir("/n/m", 0755))
                    .a(s -> s.create("/n/m/f", 0644)),
            "REMOVED n",
            "REMOVED n/m",
            "REMOVED n/m/f"),
        row(
            "a tree made, with a file of another one in it",
            w ->
                w.a(s -> s.mkdir("/n", 0755))
                    .a(s -> s.mkdir("/n/m", 0755))
                    .a(s -> s.create("/n/m/f", 0644))
                    .b(s -> s.create("/n/m/theirs", 0644)),
            "REMOVED n/m/f",
            "left n NAME HAS_OTHERS",
            "left n/m NAME HAS_OTHERS by b"),
        forced(
            "a tree made, with a file of another one in it",
            w -> w.a(s -> s.mkdir("/n", 0755)).b(s -> s.create("/n/theirs", 0644)),
            "left n NAME HAS_OTHERS by b"),
        row(
            "a directory made, into which another one has moved a file",
            w -> w.a(s -> s.mkdir("/n", 0755)).b(s -> s.rename("/top", "/n/t", RenameMode.REPLACE)),
            "left n NAME HAS_OTHERS by b"),
        row(
            "a directory made, and things moved into it",
            w ->
                w.a(s -> s.mkdir("/n", 0755))
                    .a(s -> s.rename("/top", "/n/t", RenameMode.REPLACE))
                    .a(s -> s.rename("/d", "/n/d", RenameMode.REPLACE)),
            "MOVED d",
            "MOVED top",
            "REMOVED n"),
        row(
            "a commit, on which nobody's rests",
            w -> committed(w, "a", "1"),
            "REMOVED d/.git",
            "REMOVED d/.git/1"),
        row(
            "a commit, on which another one's rests: its objects stay",
            w -> {
              committed(w, "a", "1");
              w.b(s -> s.create("/d/.git/2", 0644));
            },
            "left d/.git NAME CHANGED_SINCE by b",
            "left d/.git/1 NAME CHANGED_SINCE by b"),
        forced(
            "a commit, on which another one's rests: its objects stay",
            w -> {
              committed(w, "a", "1");
              w.b(s -> s.create("/d/.git/2", 0644));
            },
            "left d/.git NAME CHANGED_SINCE by b",
            "left d/.git/1 NAME CHANGED_SINCE by b"),
        row("a write", w -> w.a(s -> s.write("/d/f", 2, s.chunk("x", 9))), "CHANGED d/f"),
        row("a truncation", w -> w.a(s -> s.truncate("/d/f", 2)), "CHANGED d/f"),
        row(
            "a write that another one has written over",
            w ->
                w.a(s -> s.write("/d/f", 2, s.chunk("x", 9)))
                    .b(s -> s.write("/d/f", 0, s.chunk("y", 3))),
            "left d/f CONTENT CHANGED_SINCE by b"),
        forced(
            "a write that another one has written over",
            w ->
                w.a(s -> s.write("/d/f", 2, s.chunk("x", 9)))
                    .b(s -> s.write("/d/f", 0, s.chunk("y", 3))),
            "CHANGED d/f",
            "forced d/f CONTENT CHANGED_SINCE by b"),
        row(
            "two writes with one of another one between them",
            w ->
                w.a(s -> s.write("/d/f", 2, s.chunk("x", 9)))
                    .b(s -> s.write("/d/f", 0, s.chunk("y", 3)))
                    .a(s -> s.write("/d/f", 4, s.chunk("z", 3))),
            "left d/f CONTENT CHANGED_SINCE by b"),
        row(
            "a write after that of another one",
            w ->
                w.b(s -> s.write("/d/f", 2, s.chunk("x", 9)))
                    .a(s -> s.write("/d/f", 0, s.chunk("y", 3))),
            "CHANGED d/f"),
        row(
            "a write into a file that another one has moved",
            w ->
                w.a(s -> s.write("/d/f", 2, s.chunk("x", 9)))
                    .b(s -> s.rename("/d/f", "/e/f", RenameMode.REPLACE)),
            "CHANGED e/f"),
        row(
            "a write into a file that another one has removed",
            w -> w.a(s -> s.write("/d/f", 2, s.chunk("x", 9))).b(s -> s.unlink("/d/f")),
            "left (node",
            "CONTENT CHANGED_SINCE by b"),
        row(
            "mode, owner, time and attributes",
            w ->
                w.a(s -> s.set("/d/f", SetAttributes.MODE, 0600, 0, 0, 0))
                    .a(s -> s.set("/d/f", SetAttributes.UID, 0, 3, 0, 0))
                    .a(s -> s.set("/e/h", SetAttributes.MTIME, 0, 0, 0, 77))
                    .a(s -> s.setXattr("/top", "user.x", s.chunk("v", 4), XattrMode.SET)),
            "CHANGED d/f",
            "CHANGED e/h",
            "CHANGED top"),
        row(
            "the mode of a directory in which others work",
            w ->
                w.a(s -> s.set("/d", SetAttributes.MODE, 0700, 0, 0, 0))
                    .b(s -> s.create("/d/n", 0644)),
            "CHANGED d"),
        row("a removal", w -> w.a(s -> s.unlink("/d/f")), "MADE d/f"),
        row(
            "a write and a removal",
            w -> w.a(s -> s.write("/d/f", 0, s.chunk("x", 9))).a(s -> s.unlink("/d/f")),
            "MADE d/f"),
        row(
            "a removal of what another one has written before",
            w -> w.b(s -> s.write("/d/f", 0, s.chunk("x", 9))).a(s -> s.unlink("/d/f")),
            "MADE d/f"),
        row(
            "a removal, and a new file of another one",
            w -> w.a(s -> s.unlink("/d/f")).b(s -> s.create("/d/f", 0644)),
            "left d/f NAME CHANGED_SINCE by b"),
        forced(
            "a removal, and a new file of another one",
            w -> w.a(s -> s.unlink("/d/f")).b(s -> s.create("/d/f", 0644)),
            "REPLACED d/f",
            "forced d/f NAME CHANGED_SINCE by b"),
        row(
            "a tree removed",
            w ->
                w.a(s -> s.unlink("/d/sub/g"))
                    .a(s -> s.rmdir("/d/sub"))
                    .a(s -> s.unlink("/d/f"))
                    .a(s -> s.rmdir("/d")),
            "MADE d",
            "MADE d/f",
            "MADE d/sub",
            "MADE d/sub/g"),
        row(
            "a tree removed, and its name given to something of another one",
            w -> w.a(s -> s.unlink("/e/h")).a(s -> s.rmdir("/e")).b(s -> s.create("/e", 0644)),
            "left e NAME CHANGED_SINCE by b",
            "left e/h NAME DIRECTORY_GONE"),
        row(
            "a file removed, then its directory by another one",
            w -> w.a(s -> s.unlink("/e/h")).b(s -> s.rmdir("/e")),
            "left .../h NAME DIRECTORY_GONE"),
        row(
            "a tree removed and made anew",
            w ->
                w.a(s -> s.unlink("/e/h"))
                    .a(s -> s.rmdir("/e"))
                    .a(s -> s.mkdir("/e", 0700))
                    .a(s -> s.create("/e/other", 0644)),
            "CHANGED e",
            "MADE e/h",
            "REMOVED e/other"),
        row(
            "a tree removed and made anew, with a file of another one",
            w ->
                w.a(s -> s.unlink("/e/h"))
                    .a(s -> s.rmdir("/e"))
                    .a(s -> s.mkdir("/e", 0755))
                    .b(s -> s.create("/e/theirs", 0644)),
            "left e NAME HAS_OTHERS by b",
            "left e/h NAME DIRECTORY_GONE"),
        row("a save by renaming", w -> replaced(w, UndoWorld.A, "/d/f", "x"), "REPLACED d/f"),
        row(
            "two saves",
            w -> {
              replaced(w, UndoWorld.A, "/d/f", "x");
              replaced(w, UndoWorld.A, "/d/f", "y");
            },
            "REPLACED d/f"),
        row(
            "a save, and one of another one after it",
            w -> {
              replaced(w, UndoWorld.A, "/d/f", "x");
              replaced(w, UndoWorld.B, "/d/f", "y");
            },
            "left d/f NAME CHANGED_SINCE by b"),
        forced(
            "a save, and one of another one after it",
            w -> {
              replaced(w, UndoWorld.A, "/d/f", "x");
              replaced(w, UndoWorld.B, "/d/f", "y");
            },
            "REPLACED d/f",
            "forced d/f NAME CHANGED_SINCE by b"),
        row(
            "a save, and one of another one before it",
            w -> {
              replaced(w, UndoWorld.B, "/d/f", "x");
              replaced(w, UndoWorld.A, "/d/f", "y");
            },
            "REPLACED d/f"),
        row(
            "a file renamed",
            w -> w.a(s -> s.rename("/d/f", "/e/n", RenameMode.REPLACE)),
            "MOVED d/f"),
        row(
            "a file renamed twice",
            w ->
                w.a(s -> s.rename("/d/f", "/e/n", RenameMode.REPLACE))
                    .a(s -> s.rename("/e/n", "/m", RenameMode.REPLACE)),
            "MOVED d/f"),
        row(
            "a file renamed over another one",
            w -> w.a(s -> s.rename("/d/f", "/top", RenameMode.REPLACE)),
            "REPLACED top",
            "MOVED d/f"),
        row(
            "a file renamed, and the old name taken by another one",
            w ->
                w.a(s -> s.rename("/d/f", "/e/n", RenameMode.REPLACE))
                    .b(s -> s.create("/d/f", 0644)),
            "left d/f NAME CHANGED_SINCE by b",
            "left e/n NAME RESTS_ON_LEFT by b"),
        row(
            "a file renamed, then again by another one",
            w ->
                w.a(s -> s.rename("/d/f", "/e/n", RenameMode.REPLACE))
                    .b(s -> s.rename("/e/n", "/m", RenameMode.REPLACE)),
            "left d/f NAME CHANGED_SINCE by b"),
        row(
            "a file renamed, then linked by another one",
            w ->
                w.a(s -> s.rename("/d/f", "/e/n", RenameMode.REPLACE))
                    .b(s -> s.hardLink("/e/n", "/m")),
            "left d/f NAME CHANGED_SINCE by b",
            "left e/n NAME RESTS_ON_LEFT by b"),
        row(
            "a directory renamed, in which another one has made a file",
            w -> w.a(s -> s.rename("/d", "/n", RenameMode.REPLACE)).b(s -> s.create("/n/x", 0644)),
            "MOVED d"),
        row(
            "two files exchanged",
            w -> w.a(s -> s.rename("/d/f", "/top", RenameMode.EXCHANGE)),
            "MOVED top"),
        row(
            "a directory moved into one of its own, in two steps",
            w ->
                w.a(s -> s.rename("/d/sub", "/t", RenameMode.REPLACE))
                    .a(s -> s.rename("/d", "/t/d", RenameMode.REPLACE)),
            "MOVED d",
            "MOVED d/sub"),
        row(
            "the same, with the second step moved on by another one",
            w ->
                w.a(s -> s.rename("/d/sub", "/t", RenameMode.REPLACE))
                    .a(s -> s.rename("/d", "/t/d", RenameMode.REPLACE))
                    .b(s -> s.rename("/t/d", "/t/e", RenameMode.REPLACE)),
            "left d NAME CHANGED_SINCE by b",
            "left t NAME RESTS_ON_LEFT by b",
            "left t/e/sub NAME DIRECTORY_GONE by b"),
        row("a hard link", w -> w.a(s -> s.hardLink("/d/f", "/n")), "REMOVED n"),
        row(
            "a hard link, of which another one has removed the first name",
            w -> w.a(s -> s.hardLink("/d/f", "/n")).b(s -> s.unlink("/d/f")),
            "left n NAME WOULD_BE_LOST by b"),
        forced(
            "a hard link, of which another one has removed the first name",
            w -> w.a(s -> s.hardLink("/d/f", "/n")).b(s -> s.unlink("/d/f")),
            "left n NAME WOULD_BE_LOST by b"),
        row(
            "a hard link instead of the first name",
            w -> w.a(s -> s.hardLink("/d/f", "/n")).a(s -> s.unlink("/d/f")),
            "MOVED d/f"),
        row(
            "one of two names removed",
            w -> w.b(s -> s.hardLink("/d/f", "/n")).a(s -> s.unlink("/d/f")),
            "LINKED d/f"),
        row(
            "what an undo has brought back already",
            w ->
                w.a(s -> s.unlink("/top"))
                    .by("undo of a", s -> s.create("/top", 0644))
                    .by("undo of a", s -> s.write("/top", 0, s.chunk("t", 5)))
                    .by("undo of a", s -> s.set("/top", SetAttributes.MTIME, 0, 0, 0, 1))),
        row(
            "what an undo has brought back, and another one has changed then",
            w ->
                w.a(s -> s.unlink("/top"))
                    .by("undo of a", s -> s.create("/top", 0644))
                    .b(s -> s.write("/top", 0, s.chunk("y", 5))),
            "left top NAME CHANGED_SINCE by b"),
        row(
            "the letters of its name in another case",
            w -> w.by("A", s -> s.create("/n", 0644)),
            "REMOVED n"),
        below(
            "d",
            "only what is below a path",
            w ->
                w.a(s -> s.write("/d/f", 0, s.chunk("x", 9)))
                    .a(s -> s.create("/d/n", 0644))
                    .a(s -> s.unlink("/d/sub/g"))
                    .a(s -> s.write("/top", 0, s.chunk("x", 9)))
                    .a(s -> s.create("/n", 0644)),
            "CHANGED d/f",
            "MADE d/sub/g",
            "REMOVED d/n"),
        below(
            "d",
            "what was moved out of a path comes back",
            w -> w.a(s -> s.rename("/d/f", "/n", RenameMode.REPLACE)),
            "MOVED d/f"),
        below(
            "d",
            "a path that is gone",
            w ->
                w.a(s -> s.unlink("/d/sub/g"))
                    .a(s -> s.rmdir("/d/sub"))
                    .a(s -> s.unlink("/d/f"))
                    .a(s -> s.rmdir("/d"))
                    .a(s -> s.create("/n", 0644)),
            "MADE d",
            "MADE d/f",
            "MADE d/sub",
            "MADE d/sub/g"),
        below(
            "top",
            "one file",
            w ->
                w.a(s -> s.write("/d/f", 0, s.chunk("x", 9)))
                    .a(s -> s.write("/top", 0, s.chunk("x", 9))),
            "CHANGED top"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void undoes(Row row) throws Exception {
    UndoWorld world = new UndoWorld(tree());
    row.did.accept(world);
    FsState head = world.state();
    UndoPlan undo = world.plan(row.path, row.force);
    Fsck.check(undo.target(), row.what);
    List<String> lines =
        UndoWorld.lines(head, undo).stream()
            .flatMap(
                line -> // an id is no part of the table
                line.contains("(node ")
                        ? Stream.of("left (node", line.substring(line.indexOf(") ") + 2))
                        : Stream.of(line))
            .sorted()
            .toList();
    assertEquals(row.expected.lines().sorted().toList(), lines);
    var _ =
        new RestoreWorld(lengths(head, undo.target())::get, LATER)
            .checked(head, undo.target(), List.of(), row.what);
  }

  private static Map<Hash, Integer> lengths(FsState... states) {
    Map<Hash, Integer> lengths = new HashMap<>();
    for (FsState state : states) {
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
    }
    Scenario chunks = new Scenario();
    for (String name : List.of("f", "g", "t")) {
      lengths.put(chunks.chunk(name, 5).hash(), 5);
    }
    lengths.put(chunks.chunk("x", 9).hash(), 9);
    return lengths;
  }

  /** Whatever an agent does alone, everything is exactly as before, times included. */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void whatNobodyElseHasTouchedIsAsBefore(long seed) throws Exception {
    History history = new History(seed, 150, 0);
    UndoPlan undo = history.plan(false);
    assertEquals(List.of(), undo.contested());
    Fsck.check(undo.target(), "the target");
    assertEquals(
        RestoreWorld.tree(history.begin, List.of()), RestoreWorld.tree(undo.target(), List.of()));
    FsState after = history.undone(undo);
    assertEquals(RestoreWorld.tree(history.begin, List.of()), RestoreWorld.tree(after, List.of()));
  }

  /**
   * What another agent has changed last stays, to the byte; so does each name that it has given.
   */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void whatAnotherAgentChangedLastStays(long seed) throws Exception {
    History history = new History(seed, 150, 2);
    UndoPlan undo = history.plan(false);
    Fsck.check(undo.target(), "the target");
    FsState after = history.undone(undo);
    history.lastNodes.forEach(
        (id, agent) -> {
          Node now = history.head.node(id);
          if (agent.equals(UndoWorld.B) && now != null && !now.isOrphan()) {
            Node then = after.node(id);
            assertNotNull(then, () -> "lost: " + id);
            assertFalse(then.isOrphan(), () -> "lost its name: " + id);
            assertTrue(
                now.type() == NodeType.DIRECTORY || isSame(now, then, after),
                () -> "changed: " + id);
          }
        });
    history.lastNames.forEach(
        (place, agent) -> {
          if (agent.equals(UndoWorld.B) && history.head.hasNamed(place.directory())) {
            assertEquals(
                NameChange.at(place, history.head), NameChange.at(place, after), place::toString);
          }
        });
  }

  /** Even if forced, nothing is lost that was there before the agent came. */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void forceLosesNothingThatWasThereBefore(long seed) throws Exception {
    History history = new History(seed, 150, 2);
    UndoPlan undo = history.plan(true);
    Fsck.check(undo.target(), "the target");
    FsState after = history.undone(undo);
    for (Node node : history.begin.nodes()) {
      if (!node.isOrphan() && history.head.hasNamed(node.id())) {
        assertTrue(after.hasNamed(node.id()), () -> "lost: " + node.id());
      }
    }
  }

  static LongStream seeds() {
    return LongStream.rangeClosed(1, Integer.getInteger("hypersync.undo.seeds", 60));
  }

  private static boolean isSame(Node one, Node other, FsState state) {
    return one.attributes().mode() == other.attributes().mode()
        && one.attributes().size() == other.attributes().size()
        && one.attributes().uid() == other.attributes().uid()
        && one.content().root(state.version()).equals(other.content().root(state.version()))
        && one.xattrs().root(state.version()).equals(other.xattrs().root(state.version()));
  }

  /** Random ops: some before the agent, and then its own, among those of another one. */
  private static final class History {
    final RandomOps ops;
    final UndoHistory undo = new UndoHistory(new UndoAgent(UndoWorld.A)::role, Limits.NONE);
    final Map<NodeId, String> lastNodes = new HashMap<>();
    final Map<NamePlace, String> lastNames = new HashMap<>();
    final FsState begin;
    final FsState head;

    /**
     * A history.
     *
     * @param others how many of three ops are of the other agent
     */
    History(long seed, int length, int others) {
      this.ops = new RandomOps(seed);
      Random random = new Random(-seed);
      FsState state = FsState.genesis();
      long index = 0;
      for (int i = 0; i < length; i++) {
        index++;
        state = applied(state, index, "");
      }
      this.begin = withoutOrphans(state, index + 1);
      state = begin;
      index++;
      for (int i = 0; i < length; i++) {
        index++;
        String agent = random.nextInt(3) < others ? UndoWorld.B : UndoWorld.A;
        state = applied(state, index, agent);
      }
      this.head = state;
    }

    /** A file that somebody has unlinked and another one links again would be nobody's. */
    private static FsState withoutOrphans(FsState state, long timeNs) {
      List<NodeId> orphans = new ArrayList<>();
      state.orphans().forEach(orphan -> orphans.add(orphan.node()));
      Stamp stamp = new Stamp(timeNs, FsState.ROOT);
      return FsStateMachine.apply(state, new FsOp.ReapOrphans(orphans), stamp)
              instanceof Outcome.Applied(FsState next)
          ? next
          : state;
    }

    private FsState applied(FsState state, long index, String agent) {
      FsOp op = FsStateMachine.resolve(state, ops.next());
      Stamp stamp = ops.stamp(index);
      if (FsStateMachine.refusal(state, op) != null
          || !(FsStateMachine.apply(state, op, stamp) instanceof Outcome.Applied(FsState next))) {
        return state;
      }
      ops.applied(op, stamp);
      boolean isMade = next.node(stamp.newNode()) != null && state.node(stamp.newNode()) == null;
      NodeId created = isMade ? stamp.newNode() : LogEntry.NO_NODE;
      if (!agent.isEmpty()) {
        undo.entry(UndoWorld.entry(index, agent, op, created), state, next);
        NodeId changed = NameChange.changed(op);
        if (changed != null) {
          lastNodes.put(changed, agent);
        }
        for (NameChange change : NameChange.of(op, created, state)) {
          lastNames.put(change.place(), agent);
        }
      }
      return next;
    }

    UndoPlan plan(boolean force) {
      return UndoPlanner.plan(undo, head, List.of(), force, Limits.NONE);
    }

    FsState undone(UndoPlan plan) throws Exception {
      return new RestoreWorld(chunk -> ops.chunks().get(chunk).length, LATER)
          .checked(head, plan.target(), List.of(), "the undo");
    }
  }

  /** The entries of an undo are of an author of their own, however long the name is. */
  @Test
  void anUndoHasANameOfItsOwn() {
    UndoAgent agent = new UndoAgent("BlueLake");
    assertEquals("undo of BlueLake", agent.undoer());
    assertEquals(UndoAgent.Role.OWN, agent.role("bluelake"));
    assertEquals(UndoAgent.Role.UNDO, agent.role("undo of BlueLake"));
    assertEquals(UndoAgent.Role.UNDO, agent.role("undo of undo of BlueLake"));
    assertEquals(UndoAgent.Role.OTHER, agent.role("undo of RedLake"));
    assertEquals(UndoAgent.Role.OTHER, agent.role(""));
    UndoAgent again = new UndoAgent(agent.undoer());
    assertEquals(UndoAgent.Role.OWN, again.role("undo of BlueLake"));
    assertEquals(UndoAgent.Role.OTHER, again.role("BlueLake"));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 247, 248, 255})
  void aNameThatIsTooLongForItIsCut(int length) {
    char[] name = new char[length];
    Arrays.fill(name, 'x');
    UndoAgent agent = new UndoAgent(new String(name));
    assertTrue(agent.undoer().length() <= LogEntry.MAX_AGENT_BYTES, agent::undoer);
    assertEquals(UndoAgent.Role.UNDO, agent.role(agent.undoer()));
  }
}
