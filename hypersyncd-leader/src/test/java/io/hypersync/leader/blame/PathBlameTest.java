package io.hypersync.leader.blame;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.Entries;
import io.hypersync.fixtures.States;
import io.hypersync.leader.MemoryOpLog;
import io.hypersync.leader.history.LogScan;
import io.hypersync.leader.oplog.OpLogFullException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.history.NamePlace;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Who has changed what is at a path, as a reader of the log sees it. */
class PathBlameTest {
  private static final int MANY = 10_000;

  private final MemoryOpLog log = new MemoryOpLog();
  private FsState state = FsState.genesis();
  private long index;

  private PathBlameTest by(String agent, FsOp op) throws OpLogFullException {
    index++;
    NodeId id = new NodeId(1, index + 1);
    FsState next = States.after(state, op, index, id);
    boolean isMade = state.node(id) == null && next.node(id) != null;
    log.append(
        index,
        Entries.of(index, op)
            .agent(agent)
            .creating(isMade ? id : LogEntry.NO_NODE)
            .root(Hash.ZERO)
            .encoded(),
        false);
    log.sync();
    state = next;
    return this;
  }

  private Node find(String path) {
    return Objects.requireNonNull(found(path), path);
  }

  private @Nullable Node found(String path) {
    Node node = state.node(FsState.ROOT);
    for (String name : path.split("/", -1)) {
      node = node == null || name.isEmpty() ? node : state.lookup(node, Name.of(name));
    }
    return node;
  }

  private NamePlace place(String path) {
    int slash = path.lastIndexOf('/');
    NodeId parent = slash < 0 ? FsState.ROOT : find(path.substring(0, slash)).id();
    return new NamePlace(parent, Name.of(path.substring(slash + 1)));
  }

  private FsOp create(String path) {
    return new FsOp.CreateFile(place(path).directory(), place(path).name(), 0644, 0, 0);
  }

  private FsOp mkdir(String path) {
    return new FsOp.MakeDir(place(path).directory(), place(path).name(), 0755, 0, 0);
  }

  private FsOp write(String path) {
    List<ChunkRef> bytes = List.of(new ChunkRef(new Hash(1, 2, 3, index), 5));
    return new FsOp.Write(find(path).id(), WriteMode.PWRITE, 0, bytes, false);
  }

  private FsOp unlink(String path) {
    return new FsOp.Unlink(place(path).directory(), place(path).name());
  }

  private FsOp rename(String from, String to, RenameMode mode) {
    NamePlace a = place(from);
    NamePlace b = place(to);
    return new FsOp.Rename(a.directory(), a.name(), b.directory(), b.name(), mode);
  }

  private FsOp rename(String from, String to) {
    return rename(from, to, RenameMode.REPLACE);
  }

  private PathBlame.Result blame(String path, int limit, long beyond) throws Exception {
    Node node = found(path);
    return PathBlame.of(
        new LogScan(log, () -> {}),
        place(path),
        node == null ? null : node.id(),
        log.firstIndex(),
        index,
        limit,
        beyond);
  }

  private List<String> who(String path) throws Exception {
    return blame(path, 100, Long.MAX_VALUE).changes().stream()
        .map(
            change ->
                change.index()
                    + " "
                    + change.author().agent()
                    + " "
                    + change.what()
                    + (change.place() == null ? "" : " " + change.place().name())
                    + (change.other() == null ? "" : " " + change.other().name()))
        .toList();
  }

  @Test
  void aFileThatIsWrittenInPlace() throws Exception {
    by("a", create("f")).by("b", create("g")).by("b", write("f")).by("c", write("g"));
    by("c", write("f"));
    assertEquals(List.of("5 c CHANGED f", "3 b CHANGED f", "1 a MADE f"), who("f"));
  }

  @Test
  void aFileIsFollowedThroughItsRenames() throws Exception {
    by("a", create("f")).by("a", write("f")).by("b", mkdir("d")).by("b", rename("f", "d/g"));
    by("c", write("d/g")).by("c", rename("d/g", "h"));
    assertEquals(
        List.of("6 c MOVED h g", "5 c CHANGED g", "4 b MOVED g f", "2 a CHANGED f", "1 a MADE f"),
        who("h"));
  }

  /** Editors write a new file and rename it over the old one. */
  @Test
  void whatWasReplacedIsFollowedToo() throws Exception {
    by("a", create("f")).by("a", write("f"));
    by("b", create("t")).by("b", write("t")).by("b", rename("t", "f"));
    by("c", create("t")).by("c", write("t")).by("c", rename("t", "f"));
    assertEquals(
        List.of(
            "8 c MOVED f t",
            "7 c CHANGED t",
            "6 c MADE t",
            "5 b MOVED f t",
            "4 b CHANGED t",
            "3 b MADE t",
            "2 a CHANGED f",
            "1 a MADE f"),
        who("f"));
  }

  @Test
  void aFileThatIsGone() throws Exception {
    by("a", create("f")).by("b", write("f")).by("c", unlink("f")).by("c", create("g"));
    assertEquals(List.of("3 c REMOVED f", "2 b CHANGED f", "1 a MADE f"), who("f"));
    by("d", create("f"));
    assertEquals(List.of("5 d MADE f", "3 c REMOVED f", "2 b CHANGED f", "1 a MADE f"), who("f"));
  }

  @Test
  void aFileThatWasMovedAway() throws Exception {
    by("a", create("f")).by("b", write("f")).by("c", rename("f", "g")).by("d", write("g"));
    assertEquals(List.of("3 c MOVED_AWAY f g", "2 b CHANGED f", "1 a MADE f"), who("f"));
  }

  @Test
  void twoThatWereExchanged() throws Exception {
    by("a", create("f")).by("b", create("g")).by("c", rename("f", "g", RenameMode.EXCHANGE));
    by("d", write("f")).by("e", write("g"));
    assertEquals(List.of("4 d CHANGED f", "3 c MOVED f g", "2 b MADE g", "1 a MADE f"), who("f"));
    assertEquals(List.of("5 e CHANGED g", "3 c MOVED g f", "2 b MADE g", "1 a MADE f"), who("g"));
  }

  @Test
  void aFurtherName() throws Exception {
    by("a", create("f")).by("b", new FsOp.Link(find("f").id(), FsState.ROOT, Name.of("g")));
    by("c", write("f"));
    assertEquals(List.of("3 c CHANGED g", "2 b LINKED g", "1 a MADE f"), who("g"));
  }

  @Test
  void namesInADirectory() throws Exception {
    by("a", mkdir("d")).by("b", create("d/f")).by("c", write("d/f")).by("d", unlink("d/f"));
    by("e", create("g")).by("e", rename("g", "d/g"));
    assertEquals(List.of("6 e ENTRY g g", "4 d ENTRY f", "2 b ENTRY f", "1 a MADE d"), who("d"));
  }

  @Test
  void noMoreThanWasAskedForAndNotFurtherThanAllowed() throws Exception {
    by("a", create("f")).by("a", create("other"));
    for (int i = 0; i < MANY; i++) {
      by("b", write("other"));
    }
    by("c", write("f")).by("d", write("f"));
    PathBlame.Result two = blame("f", 2, Long.MAX_VALUE);
    assertEquals(2, two.changes().size());
    assertEquals(index, two.changes().getFirst().index());
    assertTrue(two.isComplete());
    assertTrue(two.searchedFrom() > MANY / 2, "it has stopped early: " + two.searchedFrom());
    PathBlame.Result some = blame("f", 3, 100);
    assertEquals(2, some.changes().size());
    assertFalse(some.isComplete());
    PathBlame.Result all = blame("f", 3, Long.MAX_VALUE);
    assertEquals(3, all.changes().size());
    assertTrue(all.isComplete());
  }

  /** What has no creation in the log is told as far as it can be known. */
  @Test
  void whatIsOlderThanTheLog() throws Exception {
    by("a", create("f")).by("b", write("f")).by("c", unlink("f"));
    PathBlame.Result result =
        PathBlame.of(new LogScan(log, () -> {}), place("f"), null, 2, index, 10, Long.MAX_VALUE);
    assertEquals(1, result.changes().size());
    assertEquals(3, result.changes().getFirst().index());
    assertFalse(result.isContentKnown());
  }
}
