package io.hypersync.leader.hazard;

import io.hypersync.leader.reservation.ReservationTable;
import io.hypersync.model.hazard.Author;
import io.hypersync.model.hazard.CallContext;
import io.hypersync.model.hazard.CallPaths;
import io.hypersync.model.hazard.Hazard;
import io.hypersync.model.hazard.HazardKind;
import io.hypersync.model.hazard.HazardReport;
import io.hypersync.model.hazard.WorkNotes;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.trie.PageUnreadableException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
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
  private final TouchWindow window;
  private final Map<HazardKind, Long> counts = new EnumMap<>(HazardKind.class);
  private SymlinkTargets targets = new SymlinkTargets(List.of());
  private List<Touch> touches = List.of();
  private @Nullable NodeId recorded;
  private long index;
  private ReservationTable reservations = ReservationTable.EMPTY;

  /**
   * Goes on from what is known.
   *
   * @param leader the origin of what the leader does itself, which is no agent's work
   * @param window what agents have done lately
   */
  public HazardDetector(WorkerId leader, TouchWindow window) {
    this.leader = leader;
    this.window = window;
  }

  /** Sets which reservations are known from now on. */
  public void reservations(ReservationTable known) {
    reservations = known;
  }

  /**
   * Sets where symbolic links may lead to.
   *
   * @param places the absolute paths at which agents see the workspace, and others that are not
   *     worth a word
   */
  public void places(List<String> places) {
    targets = new SymlinkTargets(places);
  }

  /**
   * What is to be said of an entry that is about to be logged.
   *
   * @param op as logged
   * @param timeNs of the entry, which says which reservations hold
   * @param context what its worker says of the call
   * @param before the state before it
   * @param after the state after it
   * @return one hazard for each kind, node and other author
   */
  public HazardReport report(
      FsOp op,
      long index,
      long timeNs,
      Author author,
      CallContext context,
      FsState before,
      FsState after) {
    window.expire(index);
    this.index = index;
    touches = List.of();
    recorded = null;
    try {
      return leader.equals(author.worker())
          ? HazardReport.NOTHING
          : found(op, index, timeNs, author, context, before, after);
    } catch (PageUnreadableException e) { // a report is not worth the refusal of a call
      touches = List.of();
      recorded = null;
      return HazardReport.NOTHING;
    }
  }

  private HazardReport found(
      FsOp op,
      long index,
      long timeNs,
      Author author,
      CallContext context,
      FsState before,
      FsState after) {
    CallPaths paths = context.paths();
    List<Touch> all = Touches.of(op, index, author, before, after);
    ReservationCheck check = ReservationCheck.NOTHING;
    if (!reservations.isEmpty()) {
      check = new ReservationCheck(reservations, timeNs, author, context.isNameLate());
      Changes.of(op, paths, !all.isEmpty(), before, after).forEach(check::look);
    }
    Findings findings = new Findings(author, context.seen(), before, window, check.hazards());
    for (int i = 0; i < all.size(); i++) {
      if (!check.isReserved(i)) {
        findings.look(all.get(i), i == 0 ? paths.first() : paths.second());
      }
    }
    if (op instanceof FsOp.MakeSymlink link && targets.leaves(link.target())) {
      advise(link, paths, after, findings);
    }
    NodeId repository = Repositories.recording(op, paths, after);
    WorkNotes notes =
        new WorkNotes(
            !all.isEmpty() && check.isReserved(0),
            all.size() > 1 && check.isReserved(1),
            repository);
    touches = LoggedWork.unreserved(all, notes);
    recorded = repository;
    return new HazardReport(findings.hazards(), notes);
  }

  private static void advise(
      FsOp.MakeSymlink link, CallPaths paths, FsState after, Findings findings) {
    Node made = Touches.at(after, link.parent(), link.name());
    if (made != null) {
      byte[] path = CheckedPath.verified(paths.first(), made.id(), after);
      if (!CheckedPath.isExempt(path)) {
        findings.advise(new Hazard.Advice(HazardKind.SYMLINK_LEAVES, made.id(), path));
      }
    }
  }

  /** The entry of the last {@link #report} is in the log. */
  public void logged(FsOp op, HazardReport report) {
    if (op instanceof FsOp.RestoreState) {
      window.clear(); // what was written before is there no more
      return;
    }
    window.add(touches);
    if (recorded != null) {
      window.recorded(recorded, index);
    }
    report.hazards().forEach(hazard -> counts.merge(hazard.kind(), 1L, Long::sum));
  }

  /** What agents have done lately; on the caller's thread. */
  public TouchWindow window() {
    return window;
  }

  /** How many hazards of this kind there were since the leader's start. */
  public long count(HazardKind kind) {
    return counts.getOrDefault(kind, 0L);
  }
}
