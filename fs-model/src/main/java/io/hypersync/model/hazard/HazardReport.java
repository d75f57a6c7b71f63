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
 *   a hazard of kind 1, 2 or 3
 *   0          1             9            25
 *   +----------+-------------+------------+---------------------+------------------+------------------+
 *   | kind u8  | conflicts   | node 16 B  | agent: u32 + bytes  | worker: u32      | path: u32        |
 *   |          | with u64    |            |                     | + bytes          | + bytes          |
 *   +----------+-------------+------------+---------------------+------------------+------------------+
 *
 *   a hazard of kind 4 or 5, in version 2 only
 *   0          1             2            18
 *   +----------+-------------+------------+---------------------+------------------+------------------+
 *   | kind u8  | exclusive   | node 16 B  | agent: u32 + bytes  | pattern: u32     | path: u32        |
 *   |          | u8: 0 or 1  |            |                     | + bytes          | + bytes          |
 *   +----------+-------------+------------+---------------------+------------------+------------------+
 * </pre>
 *
 * <p>A report without reservations is of version 1, as programs before version 2 have written and
 * read it. An entry without hazards has no report, and not an empty one.
 *
 * @param hazards 1 to {@link #MAX_HAZARDS}
 */
public record HazardReport(List<Hazard> hazards) {
  /** One for each kind, node and other author; further ones are not told. */
  public static final int MAX_HAZARDS = 8;

  private static final int OVERLAPS = 1;
  private static final int WITH_RESERVATIONS = 2;
  private static final int MAX_WORKER_BYTES = 63;
  private static final int LEAST_HAZARD_BYTES = 1 + 1 + 16 + 3 * 4 + 2;

  /** Copies the list; rejects one that is empty or too long. */
  public HazardReport {
    hazards = List.copyOf(hazards);
    if (hazards.isEmpty() || hazards.size() > MAX_HAZARDS) {
      throw new IllegalArgumentException("a report of " + hazards.size() + " hazards");
    }
  }

  /** The bytes for a log entry. */
  public byte[] encode() {
    CanonicalWriter out = new CanonicalWriter(256);
    out.u8(version()).u8(hazards.size());
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
      }
    }
    return out.toBytes();
  }

  private int version() {
    return hazards.stream().anyMatch(Hazard.Reserved.class::isInstance)
        ? WITH_RESERVATIONS
        : OVERLAPS;
  }

  /**
   * The hazards of a log entry; none if the field is empty.
   *
   * @throws DecodeException if the bytes are anything else, an unknown version or kind included
   */
  public static List<Hazard> decode(byte[] field) throws DecodeException {
    if (field.length == 0) {
      return List.of();
    }
    CanonicalReader in = new CanonicalReader(field);
    int version = in.u8();
    if (version != OVERLAPS && version != WITH_RESERVATIONS) {
      throw new DecodeException("a hazard report of version " + version);
    }
    int count = in.u8();
    if (count < 1 || count > MAX_HAZARDS || in.remaining() < count * LEAST_HAZARD_BYTES) {
      throw new DecodeException("a report of " + count + " hazards");
    }
    List<Hazard> hazards = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      hazards.add(hazard(in, version));
    }
    in.finish();
    if (version != new HazardReport(hazards).version()) {
      throw new DecodeException("a report of version " + version + " without reservations");
    }
    return hazards;
  }

  private static Hazard hazard(CanonicalReader in, int version) throws DecodeException {
    int code = in.u8();
    HazardKind kind = HazardKind.of(code);
    if (kind == null || (kind.isOfReservations() && version != WITH_RESERVATIONS)) {
      throw new DecodeException("a hazard of kind " + code);
    }
    try {
      return kind.isOfReservations() ? reserved(kind, in) : overlap(kind, in);
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
