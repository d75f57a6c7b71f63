package io.hypersync.leader.mail;

import io.hypersync.model.hazard.Author;
import io.hypersync.model.hazard.Hazard;
import io.hypersync.model.hazard.HazardKind;
import io.hypersync.model.hazard.HazardReport;
import io.hypersync.model.hazard.Holder;
import io.hypersync.model.hazard.WorkNotes;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Hazards for tests. */
final class Logged {
  private static final WorkerId WORKER = new WorkerId("w1");

  private Logged() {}

  /** An agent has overwritten what another one has written, in the entry before. */
  static LoggedHazards overlap(long index, String agent, String other, String path) {
    return of(
        index,
        agent,
        new Hazard.Overlap(
            HazardKind.OVERLAPPING_WRITE,
            Math.max(1, index - 1),
            new Author(other, new WorkerId("w2")),
            new NodeId(0, 1),
            path.getBytes(StandardCharsets.UTF_8)));
  }

  /** An agent has written where another one holds. */
  static LoggedHazards intoReservation(long index, String agent, String holder, String path) {
    return of(
        index,
        agent,
        new Hazard.Reserved(
            HazardKind.WRITE_INTO_RESERVATION,
            new Holder(holder, "src/**", true),
            new NodeId(0, 1),
            path.getBytes(StandardCharsets.UTF_8)));
  }

  static LoggedHazards of(long index, String agent, Hazard... hazards) {
    return new LoggedHazards(
        index,
        index,
        new Author(agent, WORKER),
        new HazardReport(List.of(hazards), WorkNotes.NONE).encode());
  }
}
