package io.hypersync.worker.hazard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.Entries;
import io.hypersync.fixtures.ManualClock;
import io.hypersync.model.hazard.Author;
import io.hypersync.model.hazard.Hazard;
import io.hypersync.model.hazard.HazardKind;
import io.hypersync.model.hazard.HazardReport;
import io.hypersync.model.hazard.Holder;
import io.hypersync.model.hazard.WorkNotes;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.op.FsOp;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a worker remembers of hazards, and whom of them it tells (hypersync.md 11.2). */
final class HazardNoticesTest {
  private static final WorkerId HERE = new WorkerId("here");
  private static final WorkerId THERE = new WorkerId("there");
  private static final WorkerId ELSEWHERE = new WorkerId("elsewhere");
  private static final long MINUTE_NS = 60_000_000_000L;

  private final ManualClock clock = new ManualClock(1_000);
  private final Set<String> agentsHere = new HashSet<>();
  private final List<Long> lines = new ArrayList<>();
  private final List<Long> leftOut = new ArrayList<>();
  private final HazardNotices notices =
      new HazardNotices(
          HERE, clock, agentsHere::contains, notice -> lines.add(notice.index()), leftOut::add);

  @Test
  void whoWorksHereIsToldWhetherItCameFirstOrSecond() {
    show(1, "Blue", HERE, overlap("Green", THERE));
    show(2, "Green", THERE, overlap("Blue", HERE));
    show(3, "Green", THERE, overlap("Red", ELSEWHERE));
    assertEquals(List.of(1L, 2L), lines);
    assertEquals(List.of(1L, 2L), indexes(notices.newest(10, true)));
    assertEquals(List.of(1L, 2L, 3L), indexes(notices.newest(10, false)));
    assertEquals(3, notices.seen());
    assertEquals(2, notices.here());
  }

  @Test
  void anAgentIsToldWhereItWorksNowAndTheHolderOfAReservationToo() {
    agentsHere.add("Blue");
    show(1, "Green", THERE, overlap("Blue", ELSEWHERE));
    show(2, "Green", THERE, reserved("Blue"));
    show(3, "Green", THERE, reserved("Red"));
    show(4, "Blue", THERE, reserved("Red"));
    show(5, "", THERE, overlap("", ELSEWHERE));
    assertEquals(List.of(1L, 2L, 4L), lines);
  }

  @Test
  void entriesWithoutHazardsAreNoNotices() {
    notices.shown(entry(1).origin(HERE).entry(), true);
    assertEquals(0, notices.seen());
    assertEquals(List.of(), notices.newest(10, false));
  }

  @Test
  void aReportOfALaterVersionIsCountedAndNothingElseHappens() {
    notices.shown(entry(1).origin(HERE).hazard(new byte[] {99, 1}).entry(), true);
    assertEquals(1, notices.senseless());
    assertEquals(List.of(), notices.newest(10, false));
  }

  @Test
  void whatAWorkerCatchesUpWithIsKeptButNotWrittenToItsLog() {
    notices.shown(entry(1).origin(HERE).hazard(report(overlap("Green", THERE))).entry(), false);
    assertEquals(List.of(), lines);
    assertEquals(List.of(1L), indexes(notices.newest(10, true)));
  }

  @Test
  void theLogGetsAFewLinesAMinuteAndHowManyWereLeftOut() {
    for (int i = 1; i <= HazardNotices.MOST_LINES + 5; i++) {
      show(i, "Blue", HERE, overlap("Green", THERE));
    }
    assertEquals(HazardNotices.MOST_LINES, lines.size());
    assertEquals(List.of(), leftOut);
    clock.advance(MINUTE_NS);
    show(100, "Blue", HERE, overlap("Green", THERE));
    assertEquals(List.of(5L), leftOut);
    assertEquals(100, lines.getLast());
  }

  @Test
  void noticesBehindAnEntry() {
    for (int i = 1; i <= 5; i++) {
      show(i, "Blue", HERE, overlap("Green", THERE));
    }
    assertEquals(List.of(4L, 5L), indexes(notices.after(3)));
    assertEquals(List.of(), notices.after(5));
    assertEquals(5, notices.after(0).size());
  }

  @Test
  void onlyTheLatestAreKept() {
    for (int i = 1; i <= HazardNotices.MOST + 1; i++) {
      show(i, "Blue", HERE, overlap("Green", THERE));
    }
    assertEquals(HazardNotices.MOST, notices.after(0).size());
    assertEquals(2, notices.after(0).getFirst().index());
    assertEquals(HazardNotices.MOST + 1, notices.seen());
  }

  @Test
  void longPathsTakeNoMoreMemory() {
    Hazard[] most = new Hazard[HazardReport.MAX_HAZARDS];
    for (int i = 0; i < most.length; i++) {
      most[i] =
          new Hazard.Overlap(
              HazardKind.OVERLAPPING_WRITE,
              1,
              new Author("Green" + i, THERE),
              new NodeId(0, 1),
              new byte[Hazard.MAX_PATH_BYTES]);
    }
    for (int i = 1; i <= HazardNotices.MOST; i++) {
      show(i, "Blue", HERE, most);
    }
    long bytes = notices.after(0).stream().mapToLong(HazardNotice::weight).sum();
    assertTrue(bytes <= HazardNotices.MOST_BYTES, () -> bytes + " bytes");
    assertTrue(notices.after(0).size() > 50, "and yet some are kept");
  }

  private void show(long index, String agent, WorkerId origin, Hazard... hazards) {
    notices.shown(entry(index).agent(agent).origin(origin).hazard(report(hazards)).entry(), true);
  }

  private static Entries entry(long index) {
    return Entries.of(index, new FsOp.ReapOrphans(List.of(new NodeId(0, 1))));
  }

  private static byte[] report(Hazard... hazards) {
    return new HazardReport(List.of(hazards), WorkNotes.NONE).encode();
  }

  private static Hazard overlap(String agent, WorkerId worker) {
    return new Hazard.Overlap(
        HazardKind.OVERLAPPING_WRITE,
        1,
        new Author(agent, worker),
        new NodeId(0, 1),
        "src/f".getBytes(StandardCharsets.UTF_8));
  }

  private static Hazard reserved(String holder) {
    return new Hazard.Reserved(
        HazardKind.WRITE_INTO_RESERVATION,
        new Holder(holder, "src/**", true),
        new NodeId(0, 1),
        "src/f".getBytes(StandardCharsets.UTF_8));
  }

  private static List<Long> indexes(List<HazardNotice> found) {
    return found.stream().map(HazardNotice::index).toList();
  }
}
