package io.hypersync.leader.hazard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.States;
import io.hypersync.leader.hazard.Enforcement.State;
import io.hypersync.leader.reservation.Held;
import io.hypersync.leader.reservation.Reservation;
import io.hypersync.leader.reservation.ReservationTable;
import io.hypersync.leader.reservation.SourceFreshness;
import io.hypersync.model.hazard.Author;
import io.hypersync.model.hazard.CallPaths;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.state.FsState;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is refused because another agent holds it, and what is not (hypersync.md 10.3). */
final class EnforcementTest {
  private static final WorkerId LEADER = new WorkerId("leader");
  private static final WorkerId W1 = new WorkerId("w1");
  private static final Author BLUE = new Author("Blue", W1);
  private static final Author GREEN = new Author("Green", W1);
  private static final long TIME = 1_000_000_000_000_000_000L;
  private static final NodeId SRC = new NodeId(1, 1);
  private static final NodeId FILE = new NodeId(1, 2);
  private static final NodeId GIT = new NodeId(1, 3);
  private static final NodeId NEW = new NodeId(9, 9);

  private final Enforcement enforcement = new Enforcement(LEADER);
  private final List<Reservation> held = new ArrayList<>();
  private FsState state = FsState.genesis();
  private long nowNs = 5_000_000_000L;
  private long checkedNs = nowNs;

  @BeforeEach
  void aTree() {
    make(new FsOp.MakeDir(FsState.ROOT, name("src"), 0755, 0, 0), SRC);
    make(new FsOp.CreateFile(SRC, name("f"), 0644, 0, 0), FILE);
    make(new FsOp.MakeDir(SRC, name(".git"), 0755, 0, 0), GIT);
    enforcement.turnOn();
  }

  @Test
  void whatAnotherAgentHoldsAloneIsRefused() {
    hold("Green", "src/**", true);
    assertTrue(refuses(BLUE, cut(), "src/f"));
    assertTrue(refuses(BLUE, create("g"), "src/g"));
    assertTrue(refuses(BLUE, new FsOp.Unlink(SRC, name("f")), "src/f"));
    assertEquals(3, enforcement.refused());
    Enforcement.Refusal last = enforcement.latest().getLast();
    assertEquals("Green", last.holder().agent());
    assertEquals(BLUE, last.author());
    assertEquals("src/f", new String(last.path(), StandardCharsets.UTF_8));
  }

  @Test
  void aRenameOutOfItAndIntoItIsRefused() {
    hold("Green", "src/**", true);
    assertTrue(refuses(BLUE, rename(SRC, "f", FsState.ROOT, "f"), "src/f", "f"));
    make(new FsOp.CreateFile(FsState.ROOT, name("mine"), 0644, 0, 0), new NodeId(1, 4));
    assertTrue(refuses(BLUE, rename(FsState.ROOT, "mine", SRC, "mine"), "mine", "src/mine"));
  }

  @Test
  void theHolderMayAndWhoHoldsItToo() {
    hold("Green", "src/**", true);
    assertFalse(refuses(GREEN, cut(), "src/f"));
    assertFalse(refuses(new Author("gREEN", W1), cut(), "src/f"), "in either case of letters");
    hold("Blue", "*", false);
    assertFalse(refuses(BLUE, cut(), "src/f"), "it has said that it works there");
  }

  @Test
  void whatIsSharedIsRefusedToNobody() {
    hold("Green", "src/**", false);
    assertFalse(refuses(BLUE, cut(), "src/f"));
  }

  @Test
  void whatIsHeldElsewhereIsNotRefused() {
    hold("Green", "web/**", true);
    assertFalse(refuses(BLUE, cut(), "src/f"));
  }

  @Test
  void whoHasNoNameMay() {
    hold("Green", "src/**", true);
    assertFalse(refuses(new Author("", W1), cut(), "src/f"), "it may be Green, found too late");
  }

  @Test
  void theLeaderItselfMay() {
    hold("Green", "src/**", true);
    assertFalse(refuses(new Author("Blue", LEADER), cut(), "src/f"));
  }

  @Test
  void gitIsNeverRefused() {
    hold("Green", "src/**", true);
    assertFalse(
        refuses(
            BLUE, new FsOp.CreateFile(GIT, name("index.lock"), 0644, 0, 0), "src/.git/index.lock"));
  }

  /** A source that nobody could look at may tell what is over. */
  @Test
  void aStaleSourceRefusesNothing() {
    hold("Green", "src/**", true);
    nowNs = checkedNs + SourceFreshness.STALE_NS - 1;
    assertEquals(State.ON, enforcement.state(nowNs));
    assertTrue(refuses(BLUE, cut(), "src/f"));
    nowNs++;
    assertEquals(State.SUSPENDED, enforcement.state(nowNs));
    assertFalse(refuses(BLUE, cut(), "src/f"));
    checkedNs = nowNs;
    tell();
    assertTrue(refuses(BLUE, cut(), "src/f"), "it was looked at again");
  }

  @Test
  void aSourceThatWasNeverLookedAtRefusesNothing() {
    hold("Green", "src/**", true);
    enforcement.reservations(ReservationTable.of(held, List.of("/ws"), 0), null);
    assertEquals(State.SUSPENDED, enforcement.state(nowNs));
    assertFalse(refuses(BLUE, cut(), "src/f"));
  }

  @Test
  void aReservationThatHasEndedRefusesNothing() {
    held.add(Held.of("/ws", "Green", "src/**", true, TIME));
    tell();
    assertFalse(refuses(BLUE, cut(), "src/f"));
  }

  @Test
  void withoutTheSettingNothingIsRefused() {
    Enforcement off = new Enforcement(LEADER);
    hold("Green", "src/**", true);
    off.reservations(ReservationTable.of(held, List.of("/ws"), 0), checkedNs);
    assertEquals(State.OFF, off.state(nowNs));
    assertFalse(refuses(off, BLUE, cut(), new CallPaths(bytes("src/f"), bytes(""))));
  }

  @Test
  void aPathThatIsNotKnownOrLeadsElsewhereRefusesNothing() {
    hold("Green", "src/**", true);
    assertFalse(refuses(BLUE, cut(), ""));
    assertFalse(refuses(BLUE, cut(), "src/other"));
  }

  @Test
  void onlyTheLatestRefusalsAreRemembered() {
    hold("Green", "src/**", true);
    for (int i = 0; i < 100; i++) {
      assertTrue(refuses(BLUE, cut(), "src/f"));
    }
    assertEquals(100, enforcement.refused());
    assertEquals(20, enforcement.latest().size());
  }

  private void hold(String agent, String pattern, boolean exclusive) {
    held.add(Held.of("/ws", agent, pattern, exclusive, Long.MAX_VALUE));
    tell();
  }

  private void tell() {
    enforcement.reservations(ReservationTable.of(held, List.of("/ws"), 0), checkedNs);
  }

  private boolean refuses(Author author, FsOp op, String path) {
    return refuses(author, op, path, "");
  }

  private boolean refuses(Author author, FsOp op, String path, String second) {
    return refuses(enforcement, author, op, new CallPaths(bytes(path), bytes(second)));
  }

  private boolean refuses(Enforcement by, Author author, FsOp op, CallPaths paths) {
    return by.refuses(op, author, paths, state, States.after(state, op, TIME, NEW), TIME, nowNs);
  }

  private void make(FsOp op, NodeId id) {
    state = States.after(state, op, TIME, id);
  }

  private static FsOp create(String name) {
    return new FsOp.CreateFile(SRC, name(name), 0644, 0, 0);
  }

  private static FsOp cut() {
    return new FsOp.Truncate(FILE, 0, false);
  }

  private static FsOp rename(NodeId from, String name, NodeId to, String newName) {
    return new FsOp.Rename(from, name(name), to, name(newName), RenameMode.REPLACE);
  }

  private static Name name(String text) {
    return Name.of(bytes(text));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
