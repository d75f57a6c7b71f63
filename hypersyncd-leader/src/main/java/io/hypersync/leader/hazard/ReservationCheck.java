package io.hypersync.leader.hazard;

import io.hypersync.leader.hazard.Changes.Change;
import io.hypersync.leader.reservation.Reservation;
import io.hypersync.leader.reservation.ReservationTable;
import io.hypersync.model.hazard.Author;
import io.hypersync.model.hazard.Hazard;
import io.hypersync.model.hazard.HazardKind;
import io.hypersync.model.hazard.HazardReport;
import io.hypersync.model.hazard.Holder;
import io.hypersync.model.id.WorkerId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one entry has to do with the reservations that hold at its time (hypersync.md 10.3): whether
 * its author has reserved what it changes, and who else has.
 */
final class ReservationCheck {
  /** Where no reservations are known. */
  static final ReservationCheck NOTHING =
      new ReservationCheck(ReservationTable.EMPTY, 0, new Author("", new WorkerId("none")), false);

  private final ReservationTable known;
  private final long timeNs;
  private final Author author;
  private final boolean isNameLate;
  private final List<Boolean> reserved = new ArrayList<>(2);
  private final List<Hazard.Reserved> hazards = new ArrayList<>(1);

  /**
   * Nothing was looked at yet.
   *
   * @param isNameLate whether the author may be one of the holders: then nothing is told, and what
   *     is reserved counts as reserved by the author
   */
  ReservationCheck(ReservationTable known, long timeNs, Author author, boolean isNameLate) {
    this.known = known;
    this.timeNs = timeNs;
    this.author = author;
    this.isNameLate = isNameLate;
  }

  /** Looks at the next change of the entry. */
  void look(Change change) {
    List<Holder> holders =
        change.path().length == 0 || CheckedPath.isExempt(change.path())
            ? List.of()
            : known
                .covering(
                    new String(change.path(), StandardCharsets.UTF_8), change.isDirectory(), timeNs)
                .stream()
                .map(Reservation::holder)
                .toList();
    if (isNameLate) {
      reserved.add(!holders.isEmpty());
      return;
    }
    List<Holder> own = holders.stream().filter(holder -> holder.is(author.agent())).toList();
    reserved.add(!own.isEmpty());
    for (Holder holder : holders) {
      HazardKind kind = holder.is(author.agent()) ? null : kind(own, holder);
      if (kind != null && change.isNamed() && isNew(kind, holder)) {
        hazards.add(new Hazard.Reserved(kind, holder, change.node(), change.path()));
      }
    }
  }

  private static @Nullable HazardKind kind(List<Holder> own, Holder other) {
    if (own.isEmpty()) {
      return other.exclusive() ? HazardKind.WRITE_INTO_RESERVATION : null;
    }
    return other.exclusive() || own.stream().anyMatch(Holder::exclusive)
        ? HazardKind.RESERVED_BY_TWO
        : null;
  }

  private boolean isNew(HazardKind kind, Holder holder) {
    return hazards.size() < HazardReport.MAX_HAZARDS
        && hazards.stream()
            .noneMatch(told -> told.kind() == kind && told.holder().is(holder.agent()));
  }

  /** Whether the author has reserved where this change is; false if there is no such change. */
  boolean isReserved(int change) {
    return change < reserved.size() && reserved.get(change);
  }

  /** At most {@link HazardReport#MAX_HAZARDS}, one for each kind and holder. */
  List<Hazard.Reserved> hazards() {
    return hazards;
  }
}
