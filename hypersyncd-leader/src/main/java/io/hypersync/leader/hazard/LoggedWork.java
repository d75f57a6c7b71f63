package io.hypersync.leader.hazard;

import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hazard.Author;
import io.hypersync.model.hazard.HazardReport;
import io.hypersync.model.hazard.WorkNotes;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.model.trie.PageUnreadableException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads from entries of the log what the leader that has logged them knew of the work: a replay
 * makes the same window as that leader had, whatever its reservations were.
 */
public final class LoggedWork {
  private static final Logger LOG = LoggerFactory.getLogger(LoggedWork.class);

  private final WorkerId leader;
  private final TouchWindow window;

  /**
   * Begins with what is known before the first entry.
   *
   * @param leader the origin of what the leader does itself, which is no agent's work
   * @param window what is known, which grows
   */
  public LoggedWork(WorkerId leader, TouchWindow window) {
    this.leader = leader;
    this.window = window;
  }

  /** What is known now. */
  public TouchWindow window() {
    return window;
  }

  /** The next entry, and the states around it. */
  public void replayed(LogEntry entry, FsState before, FsState after) {
    window.expire(entry.index());
    if (entry.op() instanceof FsOp.RestoreState) {
      window.clear();
    } else if (!entry.origin().equals(leader)) {
      add(entry, before, after);
    }
  }

  private void add(LogEntry entry, FsState before, FsState after) {
    WorkNotes notes = notes(entry);
    try {
      Author author = new Author(entry.agent(), entry.origin());
      window.add(unreserved(Touches.of(entry.op(), entry.index(), author, before, after), notes));
    } catch (PageUnreadableException e) { // the entry itself could be applied
      LOG.debug("what entry {} has touched is not known", entry.index(), e);
    }
    NodeId recorded = notes.recorded();
    if (recorded != null) {
      window.recorded(recorded, entry.index());
    }
  }

  private static WorkNotes notes(LogEntry entry) {
    try {
      return HazardReport.read(entry.hazard()).notes();
    } catch (DecodeException e) {
      LOG.warn("the hazards of entry {} make no sense: {}", entry.index(), e.getMessage());
      return WorkNotes.NONE;
    }
  }

  /** Those touches of an entry that its author had not reserved. */
  static List<Touch> unreserved(List<Touch> all, WorkNotes notes) {
    if (!notes.firstReserved() && !notes.secondReserved()) {
      return all;
    }
    List<Touch> unreserved = new ArrayList<>(1);
    for (int i = 0; i < all.size(); i++) {
      if (!notes.isReserved(i)) {
        unreserved.add(all.get(i));
      }
    }
    return unreserved;
  }
}
