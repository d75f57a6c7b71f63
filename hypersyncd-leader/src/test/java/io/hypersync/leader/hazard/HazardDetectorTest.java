package io.hypersync.leader.hazard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.States;
import io.hypersync.leader.reservation.Held;
import io.hypersync.leader.reservation.Reservation;
import io.hypersync.leader.reservation.ReservationTable;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.hazard.Author;
import io.hypersync.model.hazard.CallContext;
import io.hypersync.model.hazard.CallPaths;
import io.hypersync.model.hazard.Hazard;
import io.hypersync.model.hazard.HazardKind;
import io.hypersync.model.hazard.HazardReport;
import io.hypersync.model.hazard.Holder;
import io.hypersync.model.hazard.WorkNotes;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.OpId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
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

  private static final List<HazardKind> OVERLAP_AND_STALE =
      List.of(HazardKind.OVERLAPPING_WRITE, HazardKind.STALE_OVERWRITE);
  private static final List<HazardKind> RENAME_AND_STALE =
      List.of(HazardKind.CONCURRENT_RENAME, HazardKind.STALE_OVERWRITE);
  private static final List<HazardKind> RENAME_AND_DESTROYED =
      List.of(HazardKind.CONCURRENT_RENAME, HazardKind.DESTROYED_WORK);
  private static final List<HazardKind> DESTROYED = List.of(HazardKind.DESTROYED_WORK);
  private static final List<HazardKind> LEAVES = List.of(HazardKind.SYMLINK_LEAVES);

  private final HazardDetector detector = new HazardDetector(LEADER, new TouchWindow());

  /** A leader that starts reads the log, and must know the same. */
  private final LoggedWork replay = new LoggedWork(LEADER, new TouchWindow());

  private final List<Reservation> held = new ArrayList<>();
  private FsState state = FsState.genesis();
  private long index;
  private List<Hazard> last = List.of();

  /** What is said of the next call, beside its paths. */
  private long seen = CallContext.NOT_KNOWN;

  private boolean isLate;

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
              w.restored();
              w.write(GREEN, "f", 0, "green");
            }),
        row(
            "what the leader does itself",
            NOTHING,
            w -> {
              w.write(BLUE, "f", 0, "blue");
              w.write(new Author("", LEADER), "f", 0, "restored");
            }),
        row(
            "the same bytes after a truncation",
            NOTHING,
            w -> {
              w.write(BLUE, "f", 0, "same");
              w.commit(GREEN, w.truncate("f", 0), "f");
              w.write(GREEN, "f", 0, "same");
            }));
  }

  static Stream<Arguments> unread() {
    return Stream.of(
        row(
            "bytes over those that the author has not read",
            OVERLAP_AND_STALE,
            w -> {
              w.create("f");
              w.seen = w.index;
              w.write(BLUE, "f", 0, "blue");
              w.write(GREEN, "f", 0, "green");
            }),
        row(
            "bytes over those that it has read",
            OVERLAP,
            w -> {
              w.write(BLUE, "f", 0, "blue");
              w.seen = w.index;
              w.write(GREEN, "f", 0, "green");
            }),
        row(
            "bytes beside those that it has not read",
            NOTHING,
            w -> {
              w.create("f");
              w.seen = w.index;
              w.write(BLUE, "f", 0, "blue");
              w.write(GREEN, "f", 4, "green");
            }),
        row(
            "a line at the end",
            NOTHING,
            w -> {
              w.create("f");
              w.seen = w.index;
              w.write(BLUE, "f", 0, "blue");
              w.append(GREEN, "f", "green");
            }),
        row(
            "a new content: what is cut off first is told as it is cut off",
            OVERLAP,
            w -> {
              w.create("f");
              w.seen = w.index;
              w.write(BLUE, "f", 0, "blue");
              w.commit(GREEN, w.truncate("f", 0), "f");
            }),
        row(
            "and when the new bytes come, that they were written without reading",
            OVERLAP_AND_STALE,
            w -> {
              w.create("f");
              w.seen = w.index;
              w.write(BLUE, "f", 0, "blue");
              w.commit(GREEN, w.truncate("f", 0), "f");
              w.write(GREEN, "f", 0, "green");
            }),
        row(
            "the same bytes once more, after each has cut off what was there",
            OVERLAP,
            w -> {
              w.write(BLUE, "f", 0, "first");
              w.seen = w.index;
              w.commit(BLUE, w.truncate("f", 0), "f");
              w.write(BLUE, "f", 0, "second");
              w.commit(GREEN, w.truncate("f", 0), "f");
              w.write(GREEN, "f", 0, "second");
            }),
        row(
            "a file in the place of one that it has not read",
            RENAME_AND_STALE,
            w -> {
              w.create("f");
              w.seen = w.index;
              w.write(BLUE, "f", 0, "blue");
              w.write(GREEN, "new", 0, "green");
              w.rename(GREEN, "new", "f");
            }),
        row(
            "git's own files",
            NOTHING,
            w -> {
              w.directory(".git");
              w.create(".git/index");
              w.seen = w.index;
              w.write(BLUE, ".git/index", 0, "blue");
              w.write(GREEN, ".git/index", 0, "green");
            }));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void unread(String what, List<HazardKind> expected, Play play) {
    rows(what, expected, play);
  }

  static Stream<Arguments> destroyed() {
    return Stream.of(
        row(
            "a file that another one has written and nobody committed",
            DESTROYED,
            w -> {
              w.directory(".git");
              w.write(BLUE, "f", 0, "blue");
              w.unlink(GREEN, "f");
            }),
        row(
            "the same in a directory of the repository",
            DESTROYED,
            w -> {
              w.directory("repo");
              w.directory("repo/.git");
              w.directory("repo/src");
              w.write(BLUE, "repo/src/f", 0, "blue");
              w.unlink(GREEN, "repo/src/f");
            }),
        row(
            "outside of any repository",
            NOTHING,
            w -> {
              w.directory("repo");
              w.directory("repo/.git");
              w.write(BLUE, "f", 0, "blue");
              w.unlink(GREEN, "f");
            }),
        row(
            "one's own file",
            NOTHING,
            w -> {
              w.directory(".git");
              w.write(BLUE, "f", 0, "blue");
              w.unlink(BLUE, "f");
            }),
        row(
            "a file that its remover has written since",
            NOTHING,
            w -> {
              w.directory(".git");
              w.write(BLUE, "f", 0, "blue");
              w.append(GREEN, "f", "green");
              w.unlink(GREEN, "f");
            }),
        row(
            "a file that has another name left",
            NOTHING,
            w -> {
              w.directory(".git");
              w.write(BLUE, "f", 0, "blue");
              w.commit(BLUE, new FsOp.Link(w.node("f"), FsState.ROOT, Name.of("g")), "g");
              w.unlink(GREEN, "f");
            }),
        row(
            "a file that was committed",
            NOTHING,
            w -> {
              w.directory(".git");
              w.directory(".git/refs");
              w.write(BLUE, "f", 0, "blue");
              w.write(BLUE, ".git/refs/main.lock", 0, "hash");
              w.rename(BLUE, ".git/refs/main.lock", ".git/refs/main");
              w.unlink(GREEN, "f");
            }),
        row(
            "a file that was written after the last commit",
            DESTROYED,
            w -> {
              w.directory(".git");
              w.directory(".git/logs");
              w.append(BLUE, ".git/logs/HEAD", "commit");
              w.write(BLUE, "f", 0, "blue");
              w.unlink(GREEN, "f");
            }),
        row(
            "a file while a commit has begun",
            DESTROYED,
            w -> {
              w.directory(".git");
              w.write(BLUE, "f", 0, "blue");
              w.write(BLUE, ".git/index.lock", 0, "index");
              w.rename(BLUE, ".git/index.lock", ".git/index");
              w.write(BLUE, ".git/HEAD.lock", 0, "main");
              w.unlink(GREEN, "f");
            }),
        row(
            "a file of one repository after a commit in another one",
            DESTROYED,
            w -> {
              w.directory(".git");
              w.directory("other");
              w.directory("other/.git");
              w.directory("other/.git/logs");
              w.write(BLUE, "f", 0, "blue");
              w.append(BLUE, "other/.git/logs/HEAD", "commit");
              w.unlink(GREEN, "f");
            }),
        row(
            "a file that is replaced by one who has not read it",
            RENAME_AND_DESTROYED,
            w -> {
              w.directory(".git");
              w.create("f");
              w.seen = w.index;
              w.write(BLUE, "f", 0, "blue");
              w.write(GREEN, "new", 0, "green");
              w.rename(GREEN, "new", "f");
            }),
        row(
            "a file that is replaced by one who has read it",
            RENAME,
            w -> {
              w.directory(".git");
              w.write(BLUE, "f", 0, "blue");
              w.seen = w.index;
              w.write(GREEN, "new", 0, "green");
              w.rename(GREEN, "new", "f");
            }));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void destroyed(String what, List<HazardKind> expected, Play play) {
    rows(what, expected, play);
  }

  static Stream<Arguments> links() {
    return Stream.of(
        Arguments.of("/etc/passwd", LEAVES),
        Arguments.of("/ntmfs/ws/team/../other/f", LEAVES),
        Arguments.of("/ntmfs/ws/teams", LEAVES),
        Arguments.of("/ntmfs/ws/team/f", NOTHING),
        Arguments.of("/ntmfs//ws/./team", NOTHING),
        Arguments.of("/ntmfs/local/team/cache", NOTHING),
        Arguments.of("../../etc/passwd", NOTHING));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void links(String target, List<HazardKind> expected) {
    detector.places(List.of("/ntmfs/ws/team/", "/ntmfs/local/team"));
    link(BLUE, "link", target);
    assertEquals(expected, last.stream().map(Hazard::kind).toList());
    if (!last.isEmpty()) {
      assertEquals("link", new String(last.getFirst().path(), StandardCharsets.UTF_8));
      assertEquals(node("link"), last.getFirst().node());
    }
  }

  private void link(Author author, String path, String target) {
    NodeId _ =
        make(author, path, new FsOp.MakeSymlink(parent(path), name(path), bytes(target), 0, 0));
  }

  /** Nobody can tell whether it is the holder's own. */
  @Test
  void ofACallWhoseNameCameTooLateNothingIsSaidWhereSomebodyHolds() {
    hold("Blue", "f", true);
    isLate = true;
    write(new Author("", W1), "f", 0, "unknown");
    assertEquals(List.of(), last);
    isLate = false;
    held.clear();
    detector.reservations(ReservationTable.EMPTY);
    write(GREEN, "f", 0, "green");
    assertEquals(List.of(), last, "nor is it remembered as somebody else's");
  }

  @Test
  void aCallWhoseNameCameTooLateOverlapsWhereNobodyHolds() {
    write(BLUE, "f", 0, "blue");
    isLate = true;
    write(new Author("", W2), "f", 0, "unknown");
    assertEquals(OVERLAP, last.stream().map(Hazard::kind).toList());
  }

  private void restored() {
    index++;
    FsOp op = new FsOp.RestoreState(new byte[] {1}, List.of(), false);
    detector.logged(op, HazardReport.NOTHING);
    replay.replayed(entry(op, BLUE, HazardReport.NOTHING), state, state);
  }

  private LogEntry entry(FsOp op, Author author, HazardReport report) {
    return new LogEntry(
        index,
        new OpId(0, index),
        TIME,
        new IntentId(new ClientId(1, 1), index),
        author.worker(),
        author.agent(),
        op,
        LogEntry.NO_NODE,
        Hash.ZERO,
        report.encode(),
        new byte[0]);
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
    assertTrue(new HazardReport(last, WorkNotes.NONE).encode().length > 0);
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
    detector.logged(op, detector.report(op, index, TIME, BLUE, CallContext.NONE, state, state));
    replay.replayed(entry(op, BLUE, HazardReport.NOTHING), state, state);
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
    CallContext context = new CallContext(paths, isLate, seen);
    HazardReport report = detector.report(resolved, index, TIME, author, context, state, next);
    detector.logged(resolved, report);
    replay.replayed(entry(resolved, author, report), state, next);
    assertEquals(
        detector.window().image(index, Hash.ZERO),
        replay.window().image(index, Hash.ZERO),
        "what a leader knows that starts now");
    last = report.hazards();
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
