package io.hypersync.leader.hazard;

import io.hypersync.leader.reservation.ReservationTable;
import io.hypersync.model.hazard.Author;
import io.hypersync.model.hazard.CallPaths;
import io.hypersync.model.hazard.Hazard;
import io.hypersync.model.hazard.HazardKind;
import io.hypersync.model.hazard.HazardReport;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.trie.PageUnreadableException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides which hazards an entry has (hypersync.md 11.1, 11.2). The leader asks once for each
 * entry, in the order of the log, and records the answer in the entry. Nobody's own work is a
 * hazard for himself, nor are the same bytes once more, nor appends, which never overlap, nor what
 * tools keep for themselves ({@link CheckedPath#isExempt}). What an agent does where it holds a
 * reservation does not overlap with anything, but may be in another holder's way (10.3).
 * Single-threaded.
 */
public final class HazardDetector {
  private final WorkerId leader;
  private final TouchWindow window = new TouchWindow();
  private final Map<HazardKind, Long> counts = new EnumMap<>(HazardKind.class);
  private List<Touch> touches = List.of();
  private ReservationTable reservations = ReservationTable.EMPTY;

  /**
   * Nothing was logged yet.
   *
   * @param leader the origin of what the leader does itself, which is no agent's work
   */
  public HazardDetector(WorkerId leader) {
    this.leader = leader;
  }

  /** Sets which reservations are known from now on. */
  public void reservations(ReservationTable known) {
    reservations = known;
  }

  /**
   * What is to be said of an entry that is about to be logged.
   *
   * @param op as logged
   * @param timeNs of the entry, which says which reservations hold
   * @param paths what the call has named
   * @param before the state before it
   * @param after the state after it
   * @return at most {@link HazardReport#MAX_HAZARDS}, one for each kind, node and other author
   */
  public List<Hazard> hazards(
      FsOp op,
      long index,
      long timeNs,
      Author author,
      CallPaths paths,
      FsState before,
      FsState after) {
    window.expire(index);
    touches = List.of();
    try {
      return leader.equals(author.worker())
          ? List.of()
          : found(op, index, timeNs, author, paths, before, after);
    } catch (PageUnreadableException e) { // a report is not worth the refusal of a call
      return List.of();
    }
  }

  private List<Hazard> found(
      FsOp op,
      long index,
      long timeNs,
      Author author,
      CallPaths paths,
      FsState before,
      FsState after) {
    List<Touch> all = Touches.of(op, index, author, before, after);
    ReservationCheck check = ReservationCheck.NOTHING;
    if (!reservations.isEmpty()) {
      check = new ReservationCheck(reservations, timeNs, author);
      Changes.of(op, paths, !all.isEmpty(), before, after).forEach(check::look);
    }
    Findings findings = new Findings(author, before, check.hazards());
    for (int i = 0; i < all.size(); i++) {
      if (!check.isReserved(i)) {
        findings.look(all.get(i), window, i == 0 ? paths.first() : paths.second());
      }
    }
    touches = check.unreserved(all);
    return findings.hazards;
  }

  /** The entry of the last {@link #hazards} is in the log. */
  public void logged(FsOp op, List<Hazard> hazards) {
    if (op instanceof FsOp.RestoreState) {
      window.clear(); // what was written before is there no more
      return;
    }
    window.add(touches);
    hazards.forEach(hazard -> counts.merge(hazard.kind(), 1L, Long::sum));
  }

  /** How many hazards of this kind there were since the leader's start. */
  public long count(HazardKind kind) {
    return counts.getOrDefault(kind, 0L);
  }

  /** What one entry is in conflict with. */
  private static final class Findings {
    private final Author author;
    private final FsState before;
    private final List<Hazard> hazards;
    private final Set<Told> told = new HashSet<>();

    private record Told(HazardKind kind, NodeId node, Author other) {}

    Findings(Author author, FsState before, List<Hazard.Reserved> ofReservations) {
      this.author = author;
      this.before = before;
      this.hazards = new ArrayList<>(ofReservations);
    }

    void look(Touch touch, TouchWindow window, byte[] named) {
      byte[] path = null;
      Iterator<Touch> earlier = window.newestFirst(touch.node());
      while (earlier.hasNext() && hazards.size() < HazardReport.MAX_HAZARDS) {
        Touch other = earlier.next();
        HazardKind kind = other.author().isSame(author) ? null : kind(touch, other);
        if (kind == null || !told.add(new Told(kind, touch.node(), other.author()))) {
          continue;
        }
        path = path == null ? CheckedPath.verified(named, touch.node(), before) : path;
        if (CheckedPath.isExempt(path)) {
          return;
        }
        hazards.add(new Hazard.Overlap(kind, other.index(), other.author(), touch.node(), path));
      }
    }

    private @Nullable HazardKind kind(Touch touch, Touch other) {
      return switch (touch.what()) {
        case CONTENT ->
            switch (other.what()) {
              case CONTENT -> touch.overlaps(other) ? HazardKind.OVERLAPPING_WRITE : null;
              case RENAME -> HazardKind.CONCURRENT_RENAME;
              case UNLINK, REPLACE -> isNameless(touch) ? HazardKind.WRITE_AFTER_UNLINK : null;
            };
        case RENAME, REPLACE ->
            switch (other.what()) {
              case CONTENT, RENAME -> HazardKind.CONCURRENT_RENAME;
              case UNLINK, REPLACE -> null;
            };
        case UNLINK -> null; // whoever removes a file means the file
      };
    }

    private boolean isNameless(Touch touch) {
      Node node = before.node(touch.node());
      return node != null && node.isOrphan();
    }
  }
}
