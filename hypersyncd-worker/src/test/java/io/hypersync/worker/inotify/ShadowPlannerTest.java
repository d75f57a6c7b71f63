package io.hypersync.worker.inotify;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.fixtures.States;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.FsOp.SetAttributes;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.op.XattrMode;
import io.hypersync.model.state.FsState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which calls are made for which entries, and which for a watch that is found late. */
class ShadowPlannerTest {
  private static final int ALL = WatchMask.REPORTED;
  private static final NodeId D = new NodeId(7, 1);
  private static final NodeId E = new NodeId(7, 2);
  private static final NodeId F = new NodeId(7, 3);

  private final List<String> calls = new ArrayList<>();
  private FsState state = FsState.genesis();
  private long index;
  private long nodes;
  private boolean lost;

  /** /d, /e and /d/f, by the inode numbers 2, 3 and 4. */
  private final ShadowPlanner planner =
      new ShadowPlanner(0, state, job -> calls.add(said(job.call())));

  ShadowPlannerTest() {
    remote(new FsOp.MakeDir(FsState.ROOT, Name.of("d"), 0755, 0, 0));
    remote(new FsOp.MakeDir(FsState.ROOT, Name.of("e"), 0755, 0, 0));
    remote(new FsOp.CreateFile(D, Name.of("f"), 0644, 0, 0));
    scanned(Map.of());
    scanned(Map.of());
  }

  @Test
  void namesOfAWatchedDirectory() {
    scanned(Map.of(D, ALL));
    remote(new FsOp.CreateFile(D, Name.of("g"), 0644, 0, 0));
    remote(new FsOp.MakeDir(D, Name.of("h"), 0755, 0, 0));
    remote(new FsOp.Link(F, D, Name.of("f2")));
    remote(new FsOp.CreateFile(E, Name.of("g"), 0644, 0, 0));
    remote(new FsOp.Unlink(D, Name.of("g")));
    remote(new FsOp.RemoveDir(D, Name.of("h")));
    assertCalls("make 2/g", "make 2/h dir", "make 2/f2", "remove 2/g", "remove 2/h dir");
  }

  @Test
  void whatThisMachineDoesIsNotReportedAgain() {
    scanned(Map.of(D, ALL));
    entry(new FsOp.CreateFile(D, Name.of("g"), 0644, 0, 0), false);
    remote(new FsOp.Truncate(new NodeId(7, 4), 5, false));
    assertCalls("content 2/g");
  }

  @Test
  void renamesHaveTheUnwatchedSideNowhere() {
    scanned(Map.of(D, ALL));
    move(D, "f", E, "f", RenameMode.REPLACE);
    move(E, "f", D, "g", RenameMode.REPLACE);
    move(D, "g", D, "f", RenameMode.REPLACE);
    assertCalls("move 2/f to nowhere", "move nowhere to 2/g", "move 2/g to 2/f");
  }

  @Test
  void anExchangeMovesBoth() {
    remote(new FsOp.MakeDir(E, Name.of("x"), 0755, 0, 0));
    scanned(Map.of(E, WatchMask.MOVED_FROM));
    scanned(Map.of(E, WatchMask.MOVED_FROM));
    calls.clear();
    move(D, "f", E, "x", RenameMode.EXCHANGE);
    assertCalls("exchange nowhere with 3/x dir");
  }

  @Test
  void renamingOneNameOfANodeOverAnotherIsNoEvent() {
    remote(new FsOp.Link(F, D, Name.of("f2")));
    scanned(Map.of(D, ALL));
    calls.clear();
    move(D, "f", D, "f2", RenameMode.REPLACE);
    assertCalls();
  }

  @Test
  void onlyANodeThatIsWatchedItselfIsTheRealOne() {
    scanned(Map.of(F, ALL));
    move(D, "f", E, "g", RenameMode.REPLACE);
    remote(new FsOp.Unlink(E, Name.of("g")));
    assertCalls("move nowhere real to nowhere", "remove nowhere real");
  }

  @Test
  void aNodeWithAnotherNameIsNotGone() {
    scanned(Map.of(F, ALL, D, ALL));
    remote(new FsOp.Link(F, E, Name.of("f2")));
    remote(new FsOp.Unlink(D, Name.of("f")));
    assertCalls("remove 2/f");
  }

  @Test
  void aDirectoryIsNeverMovedOutOfSight() {
    scanned(Map.of(E, WatchMask.MOVE_SELF, FsState.ROOT, ALL));
    move(FsState.ROOT, "e", D, "e", RenameMode.REPLACE);
    assertCalls("move 1/e dir to nowhere");
  }

  @Test
  void contentsAreReportedByNameAndOnce() {
    scanned(Map.of(D, ALL, F, ALL));
    remote(new FsOp.Truncate(F, 5, false));
    remote(new SetAttributes(F, SetAttributes.MODE, 0600, 0, 0, 0));
    move(D, "f", E, "f", RenameMode.REPLACE);
    remote(new FsOp.SetXattr(F, new byte[] {'u'}, ChunkRef.EMPTY, XattrMode.SET));
    assertCalls("content 2/f", "attributes 2/f", "move 2/f real to nowhere", "attributes of 4");
  }

  @Test
  void masksDecide() {
    scanned(Map.of(D, WatchMask.DELETE, F, WatchMask.ATTRIB));
    remote(new FsOp.CreateFile(D, Name.of("g"), 0644, 0, 0));
    remote(new FsOp.Truncate(F, 5, false));
    remote(new FsOp.Unlink(D, Name.of("g")));
    assertCalls("remove 2/g");
  }

  @Test
  void whatANewWatchMayHaveMissedIsGoneThroughAgain() {
    long began = index;
    remote(new FsOp.CreateFile(D, Name.of("g"), 0644, 0, 0));
    planner.scanned(Map.of(), began);
    remote(new FsOp.Truncate(F, 5, false));
    move(D, "f", E, "f", RenameMode.REPLACE);
    remote(new FsOp.Truncate(F, 6, false));
    assertCalls();
    scanned(Map.of(D, ALL));
    assertCalls("make 2/g", "content 2/f", "move 2/f to nowhere");
    scanned(Map.of());
    scanned(Map.of());
    calls.clear();
    scanned(Map.of(D, ALL));
    assertCalls();
  }

  @Test
  void whatAnOlderWatchHasReportedIsNotReportedAgain() {
    scanned(Map.of(D, ALL));
    remote(new FsOp.Truncate(F, 5, false));
    scanned(Map.of(D, ALL, F, ALL));
    assertCalls("content 2/f");
  }

  @Test
  void aMaskThatGrowsGetsWhatIsNew() {
    scanned(Map.of(D, WatchMask.CREATE));
    remote(new FsOp.CreateFile(D, Name.of("g"), 0644, 0, 0));
    remote(new FsOp.Unlink(D, Name.of("g")));
    scanned(Map.of(D, WatchMask.CREATE | WatchMask.DELETE));
    assertCalls("make 2/g", "remove 2/g");
  }

  @Test
  void afterAGapTheNamesAreThoseOfTheState() {
    scanned(Map.of(D, ALL));
    lost = true;
    move(D, "f", D, "g", RenameMode.REPLACE);
    lost = false;
    remote(new FsOp.Truncate(F, 5, false));
    assertCalls("content 2/g");
    assertEquals(1, planner.missed());
  }

  private void move(NodeId parent, String name, NodeId newParent, String newName, RenameMode mode) {
    remote(new FsOp.Rename(parent, Name.of(name), newParent, Name.of(newName), mode));
  }

  private void remote(FsOp op) {
    entry(op, true);
  }

  private void entry(FsOp op, boolean isRemote) {
    NodeId id = new NodeId(7, nodes + 1);
    FsState after = States.after(state, op, index + 1, id);
    nodes += after.nodes().size() - state.nodes().size();
    VisibleEntry entry = new VisibleEntry(++index, isRemote, op, state, after);
    state = after;
    if (!lost) {
      planner.shown(entry);
    }
  }

  /** A scan that begins and ends at the present entry. */
  private void scanned(Map<NodeId, Integer> masks) {
    planner.scanned(masks, index);
  }

  private void assertCalls(String... expected) {
    assertEquals(List.of(expected), calls);
  }

  private static String said(ShadowCall call) {
    return switch (call) {
      case ShadowCall.Make(NameInDirectory place, boolean directory) ->
          "make " + said(place) + (directory ? " dir" : "");
      case ShadowCall.Remove(NameInDirectory place, ShadowTarget subject) ->
          "remove " + said(place) + said(subject);
      case ShadowCall.Move move -> {
        ShadowTarget other = move.displaced();
        yield (move.exchange() ? "exchange " : "move ")
            + said(move.from())
            + said(move.moved())
            + (move.exchange() ? " with " : " to ")
            + said(move.to())
            + (other == null ? "" : said(other));
      }
      case ShadowCall.Touch touch -> {
        NameInDirectory place = touch.place();
        String what = place == null ? "of " + touch.node().inode() : said(place);
        yield (touch.content() ? "content " : "attributes ") + what;
      }
      case ShadowCall.Look look -> "look " + said(look.place());
    };
  }

  private static String said(NameInDirectory place) {
    return place.isReal() ? place.directory() + "/" + place.name() : "nowhere";
  }

  private static String said(ShadowTarget subject) {
    return (subject.directory() ? " dir" : "") + (subject.real() == null ? "" : " real");
  }
}
