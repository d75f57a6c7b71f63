package io.hypersync.leader.hazard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.States;
import io.hypersync.leader.reservation.Held;
import io.hypersync.leader.reservation.Reservation;
import io.hypersync.leader.reservation.ReservationTable;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hazard.Author;
import io.hypersync.model.hazard.CallPaths;
import io.hypersync.model.hazard.Hazard;
import io.hypersync.model.hazard.HazardKind;
import io.hypersync.model.hazard.HazardReport;
import io.hypersync.model.hazard.Holder;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.op.AllocateMode;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.FsStateMachine;
import io.hypersync.model.state.Node;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Which overlaps of the work of agents are hazards, and which are not (hypersync.md 11). */
class HazardDetectorTest {
  private static final WorkerId LEADER = new WorkerId("leader");
  private static final WorkerId W1 = new WorkerId("w1");
  private static final WorkerId W2 = new WorkerId("w2");
  private static final long TIME = 1_000_000_000_000_000_000L;
  private static final Author BLUE = new Author("Blue", W1);
  private static final Author GREEN = new Author("Green", W2);
  private static final List<HazardKind> NOTHING = List.of();
  private static final List<HazardKind> OVERLAP = List.of(HazardKind.OVERLAPPING_WRITE);
  private static final List<HazardKind> RENAME = List.of(HazardKind.CONCURRENT_RENAME);
  private static final List<HazardKind> UNLINKED = List.of(HazardKind.WRITE_AFTER_UNLINK);

  private static final List<HazardKind> INTO = List.of(HazardKind.WRITE_INTO_RESERVATION);
  private static final List<HazardKind> TWO = List.of(HazardKind.RESERVED_BY_TWO);

  private final HazardDetector detector = new HazardDetector(LEADER);
  private final List<Reservation> held = new ArrayList<>();
  private FsState state = FsState.genesis();
  private long index;
  private List<Hazard> last = List.of();

  /** What two agents do, the second after the first. */
  interface Play {
    void in(HazardDetectorTest world);
  }

  private static Arguments row(String what, List<HazardKind> expected, Play play) {
    return Arguments.of(what, expected, play);
  }

  static Stream<Arguments> rows() {
    return Stream.of(
        row(
            "the same bytes of a file",
            OVERLAP,
            w -> {
              w.write(BLUE, "f", 0, "blue");
              w.write(GREEN, "f", 2, "green");
            }),
        row(
            "bytes beside each other",
            NOTHING,
            w -> {
              w.write(BLUE, "f", 0, "blue");
              w.write(GREEN, "f", 4, "green");
            }),
        row(
            "the same content once more",
            NOTHING,
            w -> {
              w.write(BLUE, "f", 0, "same");
              w.write(GREEN, "f", 0, "same");
            }),
        row(
            "an agent's own bytes",
            NOTHING,
            w -> {
              w.write(BLUE, "f", 0, "one");
              w.write(new Author("Blue", W2), "f", 0, "two");
            }),
        row(
            "programs of one worker that nobody knows",
            NOTHING,
            w -> {
              w.write(new Author("", W1), "f", 0, "one");
              w.write(new Author("", W1), "f", 0, "two");
            }),
        row(
            "programs of two workers that nobody knows",
            OVERLAP,
            w -> {
              w.write(new Author("", W1), "f", 0, "one");
              w.write(new Author("", W2), "f", 0, "two");
            }),
        row(
            "an agent and somebody unknown beside it",
            NOTHING,
            w -> {
              w.write(BLUE, "f", 0, "one");
              w.write(new Author("", W1), "f", 0, "two");
            }),
        row(
            "an agent and somebody unknown elsewhere",
            OVERLAP,
            w -> {
              w.write(BLUE, "f", 0, "one");
              w.write(new Author("", W2), "f", 0, "two");
            }),
        row(
            "an agent whose name is written in another way",
            NOTHING,
            w -> {
              w.write(BLUE, "f", 0, "one");
              w.write(new Author("bLUE", W2), "f", 0, "two");
            }),
        row(
            "lines at the end of one log",
            NOTHING,
            w -> {
              w.append(BLUE, "log", "blue");
              w.append(GREEN, "log", "green");
              w.append(BLUE, "log", "blue again");
            }),
        row(
            "a truncation of what another one has written",
            OVERLAP,
            w -> {
              w.write(BLUE, "f", 0, "blue");
              w.commit(GREEN, w.truncate("f", 0), "f");
            }),
        row(
            "a truncation behind what another one has written",
            NOTHING,
            w -> {
              w.write(BLUE, "f", 0, "blue");
              w.write(GREEN, "f", 4, "green");
              w.commit(GREEN, w.truncate("f", 4), "f");
            }),
        row(
            "a hole where another one has written",
            OVERLAP,
            w -> {
              w.write(BLUE, "f", 0, "blue");
              w.commit(GREEN, w.allocate("f", AllocateMode.PUNCH_HOLE, 0, 2), "f");
            }),
        row(
            "space where another one has written",
            NOTHING,
            w -> {
              w.write(BLUE, "f", 0, "blue");
              w.commit(GREEN, w.allocate("f", AllocateMode.EXTEND, 0, 2), "f");
            }),
        row(
            "a rename of what another one has written",
            RENAME,
            w -> {
              w.write(BLUE, "f", 0, "blue");
              w.rename(GREEN, "f", "g");
            }),
        row(
            "a file in the place of one that another one has written",
            RENAME,
            w -> {
              w.write(BLUE, "f", 0, "blue");
              w.write(GREEN, "new", 0, "green");
              w.rename(GREEN, "new", "f");
            }),
        row(
            "a write into what another one has renamed",
            RENAME,
            w -> {
              w.write(BLUE, "f", 0, "blue");
              w.rename(BLUE, "f", "g");
              w.write(GREEN, "g", 4, "green");
            }),
        row(
            "two renames of one file",
            RENAME,
            w -> {
              w.create("f");
              w.rename(BLUE, "f", "g");
              w.rename(GREEN, "g", "h");
            }),
        row(
            "a write into a file that another one has removed",
            UNLINKED,
            w -> {
              NodeId node = w.create("f");
              w.unlink(BLUE, "f");
              w.commit(GREEN, w.writing(node, 0, "green"), "f");
            }),
        row(
            "a write into a file that another one has replaced",
            UNLINKED,
            w -> {
              NodeId node = w.create("f");
              w.create("new");
              w.rename(BLUE, "new", "f");
              w.commit(GREEN, w.writing(node, 0, "green"), "f");
            }),
        row(
            "a write into one's own removed file",
            NOTHING,
            w -> {
              NodeId node = w.create("f");
              w.unlink(BLUE, "f");
              w.commit(BLUE, w.writing(node, 0, "blue"), "f");
            }),
        row(
            "a write into a file with another name left",
            NOTHING,
            w -> {
              NodeId node = w.create("f");
              w.commit(BLUE, new FsOp.Link(node, FsState.ROOT, Name.of("g")), "g");
              w.unlink(BLUE, "f");
              w.commit(GREEN, w.writing(node, 0, "green"), "g");
            }),
        row(
            "files of different agents in one directory",
            NOTHING,
            w -> {
              w.write(BLUE, "blue", 0, "blue");
              w.write(GREEN, "green", 0, "green");
              w.rename(BLUE, "blue", "blue2");
              w.unlink(GREEN, "green");
            }),
        row(
            "git's own files",
            NOTHING,
            w -> {
              w.directory(".git");
              w.write(BLUE, ".git/index", 0, "blue");
              w.write(GREEN, ".git/index", 0, "green");
            }),
        row(
            "a file whose worker says that it is git's",
            OVERLAP,
            w -> {
              w.write(BLUE, "f", 0, "blue");
              w.commit(GREEN, w.writing(w.node("f"), 0, "green"), ".git/f");
            }),
        row(
            "what was restored meanwhile",
            NOTHING,
            w -> {
              w.write(BLUE, "f", 0, "blue");
              w.detector.logged(new FsOp.RestoreState(new byte[] {1}, List.of(), false), List.of());
              w.write(GREEN, "f", 0, "green");
            }),
        row(
            "what the leader does itself",
            NOTHING,
            w -> {
              w.write(BLUE, "f", 0, "blue");
              w.write(new Author("", LEADER), "f", 0, "restored");
            }));
  }

  static Stream<Arguments> reservations() {
    return Stream.of(
        row(
            "a write where another agent holds exclusively",
            INTO,
            w -> {
              w.hold("Blue", "f", true);
              w.write(GREEN, "f", 0, "green");
            }),
        row(
            "a write of somebody unknown there",
            INTO,
            w -> {
              w.hold("Blue", "f", true);
              w.write(new Author("", W1), "f", 0, "unknown");
            }),
        row(
            "a line at the end of the file there",
            INTO,
            w -> {
              w.hold("Blue", "f", true);
              w.append(GREEN, "f", "green");
            }),
        row(
            "a write where another agent holds and shares",
            NOTHING,
            w -> {
              w.hold("Blue", "f", false);
              w.write(GREEN, "f", 0, "green");
            }),
        row(
            "a write of the holder, whatever the case of its name",
            NOTHING,
            w -> {
              w.hold("bLUE", "f", true);
              w.write(BLUE, "f", 0, "blue");
            }),
        row(
            "a write where both hold, one exclusively",
            TWO,
            w -> {
              w.hold("Blue", "f", true);
              w.hold("Green", "*", false);
              w.write(GREEN, "f", 0, "green");
            }),
        row(
            "the same the other way round",
            TWO,
            w -> {
              w.hold("Blue", "f", true);
              w.hold("Green", "*", false);
              w.write(BLUE, "f", 0, "blue");
            }),
        row(
            "a write where both hold and share",
            NOTHING,
            w -> {
              w.hold("Blue", "f", false);
              w.hold("Green", "*", false);
              w.write(GREEN, "f", 0, "green");
            }),
        row(
            "a new file",
            INTO,
            w -> {
              w.hold("Blue", "*.txt", true);
              w.make(GREEN, "new.txt", new FsOp.CreateFile(FsState.ROOT, name("new.txt"), 0, 0, 0));
            }),
        row(
            "a new directory",
            INTO,
            w -> {
              w.hold("Blue", "d/", true);
              w.make(GREEN, "d", new FsOp.MakeDir(FsState.ROOT, name("d"), 0755, 0, 0));
            }),
        row(
            "a removed file",
            INTO,
            w -> {
              w.create("f");
              w.hold("Blue", "f", true);
              w.unlink(GREEN, "f");
            }),
        row(
            "a file that is moved away",
            INTO,
            w -> {
              w.create("f");
              w.hold("Blue", "f", true);
              w.rename(GREEN, "f", "g");
            }),
        row(
            "a file that is moved there",
            INTO,
            w -> {
              w.create("f");
              w.hold("Blue", "g", true);
              w.rename(GREEN, "f", "g");
            }),
        row(
            "a file that is moved from one to the other, told once",
            INTO,
            w -> {
              w.create("f");
              w.hold("Blue", "f", true);
              w.hold("Blue", "g", true);
              w.rename(GREEN, "f", "g");
            }),
        row(
            "the same bytes once more",
            NOTHING,
            w -> {
              w.write(GREEN, "f", 0, "same");
              w.hold("Blue", "f", true);
              w.write(GREEN, "f", 0, "same");
            }),
        row(
            "a write after the reservation's end",
            NOTHING,
            w -> {
              w.hold("Blue", "f", true, TIME);
              w.write(GREEN, "f", 0, "green");
            }),
        row(
            "a write just before the reservation's end",
            INTO,
            w -> {
              w.hold("Blue", "f", true, TIME + 1);
              w.write(GREEN, "f", 0, "green");
            }),
        row(
            "git's own files",
            NOTHING,
            w -> {
              w.directory(".git");
              w.hold("Blue", "**", true);
              w.write(GREEN, ".git/index", 0, "green");
            }),
        row(
            "a file of which the worker says that it is where another agent holds",
            NOTHING,
            w -> {
              w.create("f");
              w.create("g");
              w.hold("Blue", "g", true);
              w.commit(GREEN, w.writing(w.node("f"), 0, "green"), "g");
            }),
        row(
            "a file that has lost the name that is held",
            NOTHING,
            w -> {
              NodeId node = w.create("f");
              w.hold("Blue", "f", true);
              w.unlink(GREEN, "f");
              w.commit(GREEN, w.writing(node, 0, "green"), "f");
            }),
        row(
            "what the leader does itself",
            NOTHING,
            w -> {
              w.create("f");
              w.hold("Blue", "f", true);
              w.write(new Author("", LEADER), "f", 0, "restored");
            }),
        row(
            "an overlap of two that have reserved and share",
            NOTHING,
            w -> {
              w.hold("Blue", "f", false);
              w.hold("Green", "f", false);
              w.write(BLUE, "f", 0, "blue");
              w.write(GREEN, "f", 0, "green");
            }),
        row(
            "an overlap with one who has reserved and shares",
            NOTHING,
            w -> {
              w.hold("Blue", "f", false);
              w.write(BLUE, "f", 0, "blue");
              w.write(GREEN, "f", 0, "green");
            }),
        row(
            "an overlap elsewhere in the tree",
            OVERLAP,
            w -> {
              w.hold("Blue", "src", true);
              w.write(BLUE, "f", 0, "blue");
              w.write(GREEN, "f", 0, "green");
            }),
        row(
            "a write into a removed file by one who has reserved it",
            NOTHING,
            w -> {
              NodeId node = w.create("f");
              w.unlink(BLUE, "f");
              w.hold("Green", "f", true);
              w.commit(GREEN, w.writing(node, 0, "green"), "f");
            }));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void reservations(String what, List<HazardKind> expected, Play play) {
    play.in(this);
    assertEquals(expected, last.stream().map(Hazard::kind).toList(), what);
  }

  @Test
  void aHazardNamesTheHolderAndItsPattern() {
    hold("Blue", "src/*.go", true);
    directory("src");
    write(GREEN, "src/main.go", 0, "green");
    Hazard.Reserved hazard = assertInstanceOf(Hazard.Reserved.class, last.getFirst());
    assertEquals(new Holder("Blue", "src/*.go", true), hazard.holder());
    assertEquals(node("src/main.go"), hazard.node());
    assertEquals("src/main.go", new String(hazard.path(), StandardCharsets.UTF_8));
    assertEquals(
        2, detector.count(HazardKind.WRITE_INTO_RESERVATION), "the new file and its bytes");
  }

  @Test
  void aReservationThatIsGoneIsForgotten() {
    hold("Blue", "f", true);
    detector.reservations(ReservationTable.EMPTY);
    write(GREEN, "f", 0, "green");
    assertEquals(List.of(), last);
  }

  private void hold(String agent, String pattern, boolean exclusive) {
    hold(agent, pattern, exclusive, Long.MAX_VALUE);
  }

  private void hold(String agent, String pattern, boolean exclusive, long expiresNs) {
    held.add(Held.of("/ws", agent, pattern, exclusive, expiresNs));
    detector.reservations(ReservationTable.of(held, List.of("/ws"), 0));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void rows(String what, List<HazardKind> expected, Play play) {
    play.in(this);
    assertEquals(expected, last.stream().map(Hazard::kind).toList(), what);
  }

  @Test
  void aHazardNamesTheLatestConflictingEntryAndItsAuthor() {
    write(BLUE, "f", 0, "one");
    write(BLUE, "f", 0, "two");
    long conflicting = index;
    write(BLUE, "f", 100, "elsewhere");
    write(GREEN, "f", 0, "three");
    Hazard.Overlap hazard = assertInstanceOf(Hazard.Overlap.class, last.getFirst());
    assertEquals(1, last.size(), () -> "one for each author and kind: " + last);
    assertEquals(conflicting, hazard.conflictsWith());
    assertEquals(BLUE, hazard.other());
    assertEquals(node("f"), hazard.node());
    assertEquals("f", new String(hazard.path(), StandardCharsets.UTF_8));
    assertEquals(1, detector.count(HazardKind.OVERLAPPING_WRITE));
  }

  @Test
  void aPathThatLeadsElsewhereIsNotTold() {
    write(BLUE, "f", 0, "one");
    create("g");
    commit(GREEN, writing(node("f"), 0, "two"), "g");
    assertEquals(0, last.getFirst().path().length);
  }

  @Test
  void thereAreNoMoreHazardsThanAReportHolds() {
    for (int i = 0; i < 20; i++) {
      write(new Author("agent" + i, W1), "f", 0, "content " + i);
    }
    assertEquals(HazardReport.MAX_HAZARDS, last.size());
    assertTrue(new HazardReport(last).encode().length > 0);
  }

  /** The window is measured in entries of the log, and not in time (11.2). */
  @Test
  void onlyTheLatestTouchesOfANodeCount() {
    write(BLUE, "f", 0, "blue");
    for (int i = 0; i < TouchWindow.NODE_TOUCHES - 1; i++) {
      write(GREEN, "f", 10, "green " + i);
    }
    write(GREEN, "f", 0, "seen");
    assertEquals(OVERLAP, last.stream().map(Hazard::kind).toList());
    write(GREEN, "f", 0, "the window is full of green");
    assertEquals(List.of(), last);
  }

  @Test
  void entriesOfLongAgoDoNotCount() {
    write(BLUE, "f", 0, "blue");
    long touched = index;
    while (index < touched + TouchWindow.ENTRIES - 1) {
      passing();
    }
    write(GREEN, "f", 0, "green");
    assertEquals(List.of(), last, "exactly at the window's end");
  }

  /** An op that touches nothing. */
  private void passing() {
    index++;
    FsOp op = new FsOp.ReapOrphans(List.of());
    List<Hazard> none = detector.hazards(op, index, TIME, BLUE, CallPaths.NONE, state, state);
    detector.logged(op, none);
  }

  private void write(Author author, String path, long offset, String text) {
    commit(author, writing(made(author, path), offset, text), path);
  }

  private void append(Author author, String path, String text) {
    commit(
        author,
        new FsOp.Write(made(author, path), WriteMode.APPEND, 0, List.of(chunk(text)), false),
        path);
  }

  private FsOp writing(NodeId node, long offset, String text) {
    return new FsOp.Write(node, WriteMode.PWRITE, offset, List.of(chunk(text)), false);
  }

  private FsOp truncate(String path, long size) {
    return new FsOp.Truncate(node(path), size, false);
  }

  private FsOp allocate(String path, AllocateMode mode, long offset, long length) {
    return new FsOp.Allocate(node(path), mode, offset, length, false);
  }

  private static ChunkRef chunk(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return new ChunkRef(Blake3.hash(bytes), bytes.length);
  }

  private NodeId made(Author author, String path) {
    Node there = at(path);
    if (there != null) {
      return there.id();
    }
    return make(author, path, new FsOp.CreateFile(parent(path), name(path), 0644, 0, 0));
  }

  private NodeId create(String path) {
    return made(BLUE, path);
  }

  private void directory(String path) {
    NodeId _ = make(BLUE, path, new FsOp.MakeDir(parent(path), name(path), 0755, 0, 0));
  }

  private NodeId make(Author author, String path, FsOp op) {
    commit(author, op, path);
    return node(path);
  }

  private void rename(Author author, String from, String to) {
    commit(
        author,
        new FsOp.Rename(parent(from), name(from), parent(to), name(to), RenameMode.REPLACE),
        new CallPaths(bytes(from), bytes(to)));
  }

  private void unlink(Author author, String path) {
    commit(author, new FsOp.Unlink(parent(path), name(path)), path);
  }

  private void commit(Author author, FsOp op, String path) {
    commit(author, op, new CallPaths(bytes(path), new byte[0]));
  }

  private void commit(Author author, FsOp op, CallPaths paths) {
    index++;
    FsOp resolved = FsStateMachine.resolve(state, op);
    FsState next = States.after(state, resolved, index, new NodeId(7, index));
    last = detector.hazards(resolved, index, TIME, author, paths, state, next);
    detector.logged(resolved, last);
    state = next;
  }

  private NodeId node(String path) {
    return Objects.requireNonNull(at(path), path).id();
  }

  private Node at(String path) {
    return state.lookup(Objects.requireNonNull(state.node(parent(path))), name(path));
  }

  private NodeId parent(String path) {
    int slash = path.lastIndexOf('/');
    return slash < 0 ? FsState.ROOT : node(path.substring(0, slash));
  }

  private static Name name(String path) {
    return Name.of(path.substring(path.lastIndexOf('/') + 1));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
