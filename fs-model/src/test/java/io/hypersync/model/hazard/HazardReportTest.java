package io.hypersync.model.hazard;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bytes of hazards in log entries. */
class HazardReportTest {
  private static final Hazard.Overlap HAZARD =
      new Hazard.Overlap(
          HazardKind.OVERLAPPING_WRITE,
          0x1234,
          new Author("Blue", new WorkerId("w1")),
          new NodeId(1, 2),
          new byte[] {'f'});

  /** A golden form: logs contain it. */
  private static final byte[] BYTES =
      HexFormat.of()
          .parseHex(
              "01" // version
                  + "01" // one hazard
                  + "01" // kind
                  + "0000000000001234" // conflicts with
                  + "00000000000000010000000000000002" // node
                  + "00000004426c7565" // agent
                  + "000000027731" // worker
                  + "0000000166"); // path

  private static final Hazard.Reserved RESERVED =
      new Hazard.Reserved(
          HazardKind.WRITE_INTO_RESERVATION,
          new Holder("Green", "*.go", true),
          new NodeId(3, 4),
          new byte[] {'g'});

  /** The golden form of a report with a reservation. */
  private static final byte[] WITH_RESERVATION =
      HexFormat.of()
          .parseHex(
              "02" // version
                  + "02" // two hazards
                  + "04" // kind
                  + "01" // exclusive
                  + "00000000000000030000000000000004" // node
                  + "00000005477265656e" // agent
                  + "000000042a2e676f" // pattern
                  + "0000000167" // path
                  + "01" // kind
                  + "0000000000001234" // conflicts with
                  + "00000000000000010000000000000002" // node
                  + "00000004426c7565" // agent
                  + "000000027731" // worker
                  + "0000000166"); // path

  @Test
  void aReportHasTheseBytes() throws DecodeException {
    assertArrayEquals(BYTES, told(HAZARD));
    assertHazard(HazardReport.decode(BYTES).getFirst());
  }

  private static byte[] told(Hazard... hazards) {
    return new HazardReport(List.of(hazards), WorkNotes.NONE).encode();
  }

  /** The golden form of a report with notes. */
  private static final byte[] WITH_NOTES =
      HexFormat.of()
          .parseHex(
              "03" // version
                  + "02" // two hazards
                  + "05" // the first was reserved, and a branch was moved
                  + "00000000000000050000000000000006" // .git
                  + "06" // kind
                  + "0000000000000009" // conflicts with
                  + "00000000000000010000000000000002" // node
                  + "00000004426c7565" // agent
                  + "000000027731" // worker
                  + "0000000166" // path
                  + "08" // kind
                  + "00000000000000030000000000000004" // node
                  + "0000000167"); // path

  @Test
  void aReportWithNotesHasTheseBytes() throws DecodeException {
    Hazard stale =
        new Hazard.Overlap(
            HazardKind.STALE_OVERWRITE, 9, HAZARD.other(), HAZARD.node(), new byte[] {'f'});
    Hazard leaves =
        new Hazard.Advice(HazardKind.SYMLINK_LEAVES, new NodeId(3, 4), new byte[] {'g'});
    WorkNotes notes = new WorkNotes(true, false, new NodeId(5, 6));
    assertArrayEquals(WITH_NOTES, new HazardReport(List.of(stale, leaves), notes).encode());
    HazardReport read = HazardReport.read(WITH_NOTES);
    assertEquals(notes, read.notes());
    assertEquals(
        List.of(HazardKind.STALE_OVERWRITE, HazardKind.SYMLINK_LEAVES),
        read.hazards().stream().map(Hazard::kind).toList());
    assertArrayEquals(WITH_NOTES, read.encode());
  }

  @Test
  void notesAloneAreAReportWithoutHazards() throws DecodeException {
    byte[] notes = new HazardReport(List.of(), new WorkNotes(false, true, null)).encode();
    assertArrayEquals(new byte[] {3, 0, 2}, notes);
    assertEquals(List.of(), HazardReport.decode(notes));
    assertEquals(new WorkNotes(false, true, null), HazardReport.read(notes).notes());
    assertThrows(DecodeException.class, () -> HazardReport.decode(new byte[] {3, 0, 0}), "nothing");
    assertThrows(DecodeException.class, () -> HazardReport.decode(new byte[] {3, 0, 8}), "a bit");
  }

  private static void assertHazard(Hazard hazard) {
    Hazard.Overlap read = assertInstanceOf(Hazard.Overlap.class, hazard);
    assertEquals(HAZARD.kind(), read.kind());
    assertEquals(HAZARD.conflictsWith(), read.conflictsWith());
    assertEquals(HAZARD.other(), read.other());
    assertEquals(HAZARD.node(), read.node());
    assertArrayEquals(HAZARD.path(), read.path());
  }

  @Test
  void aReportWithAReservationHasTheseBytes() throws DecodeException {
    assertArrayEquals(WITH_RESERVATION, told(RESERVED, HAZARD));
    List<Hazard> both = HazardReport.decode(WITH_RESERVATION);
    Hazard.Reserved read = assertInstanceOf(Hazard.Reserved.class, both.getFirst());
    assertEquals(RESERVED.kind(), read.kind());
    assertEquals(RESERVED.holder(), read.holder());
    assertEquals(RESERVED.node(), read.node());
    assertArrayEquals(RESERVED.path(), read.path());
    assertHazard(both.getLast());
  }

  @Test
  void eachKindHasItsForm() {
    assertThrows(
        IllegalArgumentException.class,
        () ->
            new Hazard.Overlap(
                HazardKind.RESERVED_BY_TWO, 1, HAZARD.other(), HAZARD.node(), new byte[0]));
    assertThrows(
        IllegalArgumentException.class,
        () ->
            new Hazard.Reserved(
                HazardKind.OVERLAPPING_WRITE, RESERVED.holder(), HAZARD.node(), new byte[0]));
    assertThrows(
        IllegalArgumentException.class,
        () -> new Hazard.Advice(HazardKind.OVERLAPPING_WRITE, HAZARD.node(), new byte[0]));
    assertThrows(
        IllegalArgumentException.class,
        () ->
            new Hazard.Overlap(
                HazardKind.SYMLINK_LEAVES, 1, HAZARD.other(), HAZARD.node(), new byte[0]));
    assertThrows(IllegalArgumentException.class, () -> new Holder("", "*.go", true));
    assertThrows(
        IllegalArgumentException.class,
        () -> new Holder("Green", "x".repeat(Holder.MAX_PATTERN_BYTES + 1), true));
  }

  @Test
  void theLargestReportFitsIntoAnEntry() {
    byte[] path = new byte[Hazard.MAX_PATH_BYTES];
    Holder holder =
        new Holder(
            "x".repeat(LogEntry.MAX_AGENT_BYTES), "y".repeat(Holder.MAX_PATTERN_BYTES), true);
    Hazard hazard = new Hazard.Reserved(HazardKind.RESERVED_BY_TWO, holder, RESERVED.node(), path);
    byte[] largest =
        new HazardReport(
                Collections.nCopies(HazardReport.MAX_HAZARDS, hazard),
                new WorkNotes(true, true, RESERVED.node()))
            .encode();
    assertTrue(largest.length <= LogEntry.MAX_HAZARD_BYTES, () -> largest.length + " bytes");
  }

  @Test
  void anEntryWithoutHazardsHasNoReport() throws DecodeException {
    assertEquals(List.of(), HazardReport.decode(new byte[0]));
    assertArrayEquals(new byte[0], HazardReport.NOTHING.encode());
  }

  @Test
  void otherBytesAreRefused() {
    for (int length = 1; length < BYTES.length; length++) {
      byte[] cut = Arrays.copyOf(BYTES, length);
      assertThrows(DecodeException.class, () -> HazardReport.decode(cut), "cut off");
    }
    for (int length = 1; length < WITH_RESERVATION.length; length++) {
      byte[] cut = Arrays.copyOf(WITH_RESERVATION, length);
      assertThrows(DecodeException.class, () -> HazardReport.decode(cut), "cut off");
    }
    for (int length = 1; length < WITH_NOTES.length; length++) {
      byte[] cut = Arrays.copyOf(WITH_NOTES, length);
      assertThrows(DecodeException.class, () -> HazardReport.decode(cut), "cut off");
    }
    assertRefused(WITH_NOTES, 0, 4, "another version");
    assertRefused(0, 2, "a version without need");
    assertRefused(0, 3, "another version");
    assertRefused(2, 4, "a kind of another version");
    assertRefused(WITH_RESERVATION, 0, 1, "a reservation in version 1");
    assertRefused(WITH_RESERVATION, 3, 2, "neither exclusive nor shared");
    assertRefused(1, 0, "no hazards");
    assertRefused(1, 9, "too many");
    assertRefused(2, 99, "another kind");
    assertRefused(3, 0x80, "a negative index");
    assertThrows(
        DecodeException.class, () -> HazardReport.decode(Arrays.copyOf(BYTES, BYTES.length + 1)));
  }

  private static void assertRefused(int at, int value, String what) {
    assertRefused(BYTES, at, value, what);
  }

  private static void assertRefused(byte[] right, int at, int value, String what) {
    byte[] wrong = right.clone();
    wrong[at] = (byte) value;
    assertThrows(DecodeException.class, () -> HazardReport.decode(wrong), what);
  }
}
