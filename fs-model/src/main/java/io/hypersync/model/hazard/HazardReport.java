package io.hypersync.model.hazard;

import io.hypersync.model.codec.CanonicalReader;
import io.hypersync.model.codec.CanonicalWriter;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import java.util.ArrayList;
import java.util.List;

/**
 * The hazards of one entry, in {@link LogEntry#hazard()}. The leader decides once what they are,
 * when it logs the entry; nobody works them out again (hypersync.md 11.2). They are not part of any
 * Merkle root (11.3). Integers are big-endian:
 *
 * <pre>
 *   0          1          2
 *   +----------+----------+--------------------------------------------+
 *   | ver u8   | count u8 | hazards, one after the other               |
 *   | 1 or 2   | 1 to 8   |                                            |
 *   +----------+----------+--------------------------------------------+
 *
 *   0          1          2          3
 *   +----------+----------+----------+----------------+----------------+
 *   | ver u8   | count u8 | notes u8 | if notes & 4:  | hazards, one   |
 *   | 3        | 0 to 8   |          | node 16 B      | after the other|
 *   +----------+----------+----------+----------------+----------------+
 *
 *   notes: 1 the author had reserved what it changed first, 2 second ({@link WorkNotes});
 *          4 the entry has moved a branch of the repository whose .git is that node
 *
 *   a hazard of kind 1, 2 or 3, and in version 3 of kind 6 or 7
 *   0          1             9            25
 *   +----------+-------------+------------+---------------------+------------------+------------------+
 *   | kind u8  | conflicts   | node 16 B  | agent: u32 + bytes  | worker: u32      | path: u32        |
 *   |          | with u64    |            |                     | + bytes          | + bytes          |
 *   +----------+-------------+------------+---------------------+------------------+------------------+
 *
 *   a hazard of kind 4 or 5, from version 2 on
 *   0          1             2            18
 *   +----------+-------------+------------+---------------------+------------------+------------------+
 *   | kind u8  | exclusive   | node 16 B  | agent: u32 + bytes  | pattern: u32     | path: u32        |
 *   |          | u8: 0 or 1  |            |                     | + bytes          | + bytes          |
 *   +----------+-------------+------------+---------------------+------------------+------------------+
 *
 *   a hazard of kind 8, in version 3 only
 *   0          1            17
 *   +----------+------------+---------------------+
 *   | kind u8  | node 16 B  | path: u32 + bytes   |
 *   +----------+------------+---------------------+
 * </pre>
 *
 * <p>A report has the lowest version that can say it, so that programs before version 2 or 3 can
 * read what they know. An entry of which there is nothing to say has no report, and not an empty
 * one.
 *
 * @param hazards at most {@link #MAX_HAZARDS}
 */
public record HazardReport(List<Hazard> hazards, WorkNotes notes) {
  /** Of an entry that has no report. */
  public static final HazardReport NOTHING = new HazardReport(List.of(), WorkNotes.NONE);

  /** One for each kind, node and other author; further ones are not told. */
  public static final int MAX_HAZARDS = 8;

  private static final int OVERLAPS = 1;
  private static final int WITH_RESERVATIONS = 2;
  private static final int WITH_NOTES = 3;
  private static final int FIRST_RESERVED = 1;
  private static final int SECOND_RESERVED = 2;
  private static final int RECORDED = 4;
  private static final int MAX_WORKER_BYTES = 63;
  private static final int LEAST_HAZARD_BYTES = 1 + 16 + 4;
  private static final byte[] NO_REPORT = {};

  /** Copies the list; rejects one that is too long. */
  public HazardReport {
    hazards = List.copyOf(hazards);
    if (hazards.size() > MAX_HAZARDS) {
      throw new IllegalArgumentException("a report of " + hazards.size() + " hazards");
    }
  }

  /** Whether there is nothing to say. */
  public boolean isEmpty() {
    return hazards.isEmpty() && notes.equals(WorkNotes.NONE);
  }

  /** The bytes for a log entry; none if there is nothing to say. */
  public byte[] encode() {
    if (isEmpty()) {
      return NO_REPORT;
    }
    CanonicalWriter out = new CanonicalWriter(256);
    int version = version();
    out.u8(version).u8(hazards.size());
    if (version == WITH_NOTES) {
      NodeId recorded = notes.recorded();
      out.u8(
          (notes.firstReserved() ? FIRST_RESERVED : 0)
              | (notes.secondReserved() ? SECOND_RESERVED : 0)
              | (recorded != null ? RECORDED : 0));
      if (recorded != null) {
        out.node(recorded);
      }
    }
    for (Hazard hazard : hazards) {
      switch (hazard) {
        case Hazard.Overlap overlap ->
            out.u8(overlap.kind().code())
                .u64(overlap.conflictsWith())
                .node(overlap.node())
                .text(overlap.other().agent())
                .text(overlap.other().worker().name())
                .bytes(overlap.path());
        case Hazard.Reserved reserved ->
            out.u8(reserved.kind().code())
                .u8(reserved.holder().exclusive() ? 1 : 0)
                .node(reserved.node())
                .text(reserved.holder().agent())
                .text(reserved.holder().pattern())
                .bytes(reserved.path());
        case Hazard.Advice advice ->
            out.u8(advice.kind().code()).node(advice.node()).bytes(advice.path());
      }
    }
    return out.toBytes();
  }

  private int version() {
    if (!notes.equals(WorkNotes.NONE)
        || hazards.stream().anyMatch(hazard -> leastVersion(hazard.kind()) == WITH_NOTES)) {
      return WITH_NOTES;
    }
    return hazards.stream().anyMatch(Hazard.Reserved.class::isInstance)
        ? WITH_RESERVATIONS
        : OVERLAPS;
  }

  /** The first version that knows a kind. */
  private static int leastVersion(HazardKind kind) {
    return switch (kind) {
      case OVERLAPPING_WRITE, CONCURRENT_RENAME, WRITE_AFTER_UNLINK -> OVERLAPS;
      case WRITE_INTO_RESERVATION, RESERVED_BY_TWO -> WITH_RESERVATIONS;
      case STALE_OVERWRITE, DESTROYED_WORK, SYMLINK_LEAVES -> WITH_NOTES;
    };
  }

  /** Whether the report of a log entry names hazards, and not only notes; does not check it. */
  public static boolean hasHazards(byte[] field) {
    return field.length > 1 && field[1] != 0; // the count, in all versions
  }

  /**
   * The hazards of a log entry; none if it has no report, or one without hazards.
   *
   * @throws DecodeException as {@link #read}
   */
  public static List<Hazard> decode(byte[] field) throws DecodeException {
    return read(field).hazards();
  }

  /**
   * The report of a log entry; {@link #NOTHING} if the field is empty.
   *
   * @throws DecodeException if the bytes are anything else, an unknown version or kind included
   */
  public static HazardReport read(byte[] field) throws DecodeException {
    if (field.length == 0) {
      return NOTHING;
    }
    CanonicalReader in = new CanonicalReader(field);
    int version = in.u8();
    if (version < OVERLAPS || version > WITH_NOTES) {
      throw new DecodeException("a hazard report of version " + version);
    }
    int count = in.u8();
    if (count > MAX_HAZARDS || in.remaining() < count * LEAST_HAZARD_BYTES) {
      throw new DecodeException("a report of " + count + " hazards");
    }
    WorkNotes notes = version == WITH_NOTES ? notes(in) : WorkNotes.NONE;
    List<Hazard> hazards = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      hazards.add(hazard(in, version));
    }
    in.finish();
    HazardReport report = new HazardReport(hazards, notes);
    if (report.isEmpty() || version != report.version()) {
      throw new DecodeException("a report of version " + version + " that needs no such version");
    }
    return report;
  }

  private static WorkNotes notes(CanonicalReader in) throws DecodeException {
    int bits = in.u8();
    if (bits > (FIRST_RESERVED | SECOND_RESERVED | RECORDED)) {
      throw new DecodeException("notes " + bits);
    }
    return new WorkNotes(
        (bits & FIRST_RESERVED) != 0,
        (bits & SECOND_RESERVED) != 0,
        (bits & RECORDED) != 0 ? in.node() : null);
  }

  private static Hazard hazard(CanonicalReader in, int version) throws DecodeException {
    int code = in.u8();
    HazardKind kind = HazardKind.of(code);
    if (kind == null || leastVersion(kind) > version) {
      throw new DecodeException("a hazard of kind " + code);
    }
    try {
      return kind.isAdvice()
          ? new Hazard.Advice(kind, in.node(), in.bytes(Hazard.MAX_PATH_BYTES))
          : kind.isOfReservations() ? reserved(kind, in) : overlap(kind, in);
    } catch (IllegalArgumentException invalid) {
      throw new DecodeException(invalid.getMessage());
    }
  }

  private static Hazard overlap(HazardKind kind, CanonicalReader in) throws DecodeException {
    long conflictsWith = in.u64();
    NodeId node = in.node();
    String agent = in.text(LogEntry.MAX_AGENT_BYTES);
    WorkerId worker = new WorkerId(in.text(MAX_WORKER_BYTES));
    return new Hazard.Overlap(
        kind, conflictsWith, new Author(agent, worker), node, in.bytes(Hazard.MAX_PATH_BYTES));
  }

  private static Hazard reserved(HazardKind kind, CanonicalReader in) throws DecodeException {
    int exclusive = in.u8();
    if (exclusive > 1) {
      throw new DecodeException("a reservation whose exclusive is " + exclusive);
    }
    NodeId node = in.node();
    String agent = in.text(LogEntry.MAX_AGENT_BYTES);
    String pattern = in.text(Holder.MAX_PATTERN_BYTES);
    return new Hazard.Reserved(
        kind, new Holder(agent, pattern, exclusive == 1), node, in.bytes(Hazard.MAX_PATH_BYTES));
  }
}
