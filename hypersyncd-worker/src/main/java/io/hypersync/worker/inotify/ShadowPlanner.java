package io.hypersync.worker.inotify;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Turns visible entries into shadow calls, in log order. A watch is found only by a scan after it
 * was set. So entries are kept until a scan that began after them has been processed, and those
 * that a new watch may have missed are reported to it then. This may also report what happened
 * shortly before the watch was set. Single-threaded.
 */
public final class ShadowPlanner {
  /** Most entries kept for watches that no scan has found yet. */
  static final int MAX_RECENT = 4_096;

  private final Consumer<ShadowJob> jobs;
  private final ArrayDeque<VisibleEntry> recent = new ArrayDeque<>();
  private final ChildNames names = new ChildNames();
  private Map<NodeId, Integer> masks = Map.of();
  private FsState state;
  private long index;
  private long previousScan;
  private long missed;

  /** Whether the names are not those of the newest state. */
  private boolean isStale;

  /**
   * A planner without watches.
   *
   * @param index the visible index
   * @param state the state after that entry
   * @param jobs takes the calls, in order
   */
  public ShadowPlanner(long index, FsState state, Consumer<ShadowJob> jobs) {
    this.index = index;
    this.previousScan = index;
    this.state = state;
    this.jobs = jobs;
  }

  /** How many entries were lost on the way here while something was watched. */
  public long missed() {
    return missed;
  }

  /** The next entry has become visible. A gap before it loses events; an old entry is ignored. */
  public void shown(VisibleEntry entry) {
    if (entry.index() <= index) {
      return;
    }
    if (isStale || (entry.index() != index + 1 && entry.op() != null)) {
      missed += masks.isEmpty() ? 0 : entry.index() - index - 1;
      recent.clear();
      names.rebuild(entry.before());
    }
    index = entry.index();
    state = entry.after();
    isStale = true; // if a part of a state cannot be read
    recent.addLast(entry);
    if (recent.size() > MAX_RECENT) {
      recent.removeFirst();
    }
    if (!masks.isEmpty()) {
      report(entry, masks, names);
      names.follow(entry);
    }
    isStale = false;
  }

  /**
   * A scan has found these watches.
   *
   * @param watched the watch mask of each node; must not change afterwards
   * @param began the visible index when the scan began
   */
  public void scanned(Map<NodeId, Integer> watched, long began) {
    Map<NodeId, Integer> added = new HashMap<>();
    watched.forEach(
        (node, mask) -> {
          int bits = mask & ~masks.getOrDefault(node, 0);
          if (bits != 0) {
            added.put(node, bits);
          }
        });
    if (!added.isEmpty()) {
      catchUp(added);
    }
    names.retain(watched.keySet());
    for (NodeId node : added.keySet()) {
      if (!masks.containsKey(node)) {
        names.add(node, state);
      }
    }
    masks = watched;
    previousScan = began;
    while (!recent.isEmpty() && recent.getFirst().index() <= began) {
      recent.removeFirst();
    }
  }

  /** Reports to new watches the entries that they may have missed. */
  private void catchUp(Map<NodeId, Integer> added) {
    List<VisibleEntry> entries =
        recent.stream().filter(entry -> entry.index() > previousScan).toList();
    if (entries.isEmpty()) {
      return;
    }
    ChildNames then = new ChildNames();
    added.keySet().forEach(node -> then.add(node, entries.getFirst().before()));
    for (VisibleEntry entry : entries) {
      if (!isReported(entry)) {
        report(entry, added, then);
      }
      then.follow(entry);
    }
  }

  /**
   * Whether a call for an older watch touched this very inode, and so reached the new watch, too.
   */
  private boolean isReported(VisibleEntry entry) {
    FsOp op = entry.op();
    NodeId node = op == null ? null : EntryShadowCalls.touched(op);
    if (op == null || node == null) {
      return false;
    }
    int mask = EntryShadowCalls.touchedMask(op);
    return (masks.getOrDefault(node, 0) & mask) != 0
        || names.of(node).stream()
            .anyMatch(name -> (masks.getOrDefault(name.parent(), 0) & mask) != 0);
  }

  private void report(VisibleEntry entry, Map<NodeId, Integer> wanted, ChildNames then) {
    if (entry.remote()) {
      for (ShadowCall call : EntryShadowCalls.of(entry, wanted, then)) {
        jobs.accept(new ShadowJob(call, entry.before(), entry.after()));
      }
    }
  }
}
